import { isDecimal } from "../../platform/decimal.ts";
import {
  type Clause,
  type Condition,
  everyCondition,
  type Filter,
  type Operand,
  type Predicate,
  parseFilter,
} from "./parser.ts";
import { FilterError } from "./tokens.ts";

/** A row of a dataset, by column. Several categories are one text, joined by `|`. */
export type FilterRecord = Readonly<Record<string, string | number | null | undefined>>;

interface PastInteraction {
  itemId: string;
  eventType: string | null;
}

/** The data that a filter is applied with, the same for all items of one request. */
export interface FilterContext {
  values: FilterValues;
  /** The requested user's interactions, newest first. Only the 100 newest of each event type count. */
  interactions: readonly PastInteraction[];
  /** The user's row, if the user is known. */
  currentUser?: FilterRecord | undefined;
  /** The row of the item whose related items are requested. */
  currentItem?: FilterRecord | undefined;
}

/** Returns whether an item stays in the list. `record` is its row in Items, if it has one. */
type ItemTest = (itemId: string, record: FilterRecord | undefined) => boolean;

const INTERACTIONS_PER_EVENT_TYPE = 100;

/**
 * Returns the test that a filter applies to each item of a request: it keeps the items that match any INCLUDE (all
 * items if there is none), then drops those that match any EXCLUDE, in whatever order the clauses are written. It
 * ignores clauses whose IF does not hold. A condition whose placeholder has no value never holds, so a caller can
 * switch off an EXCLUDE by leaving out the value. Throws `FilterError` if an INCLUDE lacks a value, or if a number is
 * compared with several values or with text.
 */
export function itemTest(filter: Filter, context: FilterContext): ItemTest {
  checkValues(filter, context.values);
  const history = eventTypesByItem(context.interactions);
  const applying = filter.clauses.filter(({ onlyIf }) =>
    onlyIf.every((condition) => holds(condition, context.currentUser, context)),
  );
  const includes = applying.filter(({ verb }) => verb === "INCLUDE");
  const excludes = applying.filter(({ verb }) => verb === "EXCLUDE");
  return (itemId, record) => {
    const matches = (clause: Clause) => satisfies(clause.where, record, history.get(itemId), context);
    return (includes.length === 0 || includes.some(matches)) && !excludes.some(matches);
  };
}

function checkValues(filter: Filter, values: FilterValues): void {
  const missing = requiredPlaceholders(filter).filter((name) => values[name] === undefined);
  if (missing.length > 0) {
    const names = missing.map((name) => `$${name}`).join(", ");
    throw new FilterError(`an INCLUDE needs a value for each of its parameters; missing: ${names}`);
  }
  for (const { name, isNumber } of placeholderUses(filter)) if (isNumber) checkNumber(name, values);
}

function checkNumber(name: string, values: FilterValues): void {
  const given = values[name];
  if (given === undefined) return;
  if (given.length !== 1 || !isDecimal(given[0] ?? "")) {
    throw new FilterError(`parameter ${name} is compared as one number, got ${given.join(", ")}`);
  }
}

/** Returns each item's event types in lower case: Personalize ignores case for event types, but for nothing else. */
function eventTypesByItem(interactions: readonly PastInteraction[]): Map<string, Set<string>> {
  const counts = new Map<string, number>();
  const byItem = new Map<string, Set<string>>();
  for (const { itemId, eventType } of interactions) {
    const type = (eventType ?? "").toLowerCase();
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    if (count > INTERACTIONS_PER_EVENT_TYPE) continue;
    const types = byItem.get(itemId);
    if (types) types.add(type);
    else byItem.set(itemId, new Set([type]));
  }
  return byItem;
}

function satisfies(
  predicate: Predicate,
  record: FilterRecord | undefined,
  eventTypes: ReadonlySet<string> | undefined,
  context: FilterContext,
): boolean {
  if (predicate.kind !== "condition") {
    const matches = (part: Predicate) => satisfies(part, record, eventTypes, context);
    return predicate.kind === "and" ? predicate.parts.every(matches) : predicate.parts.some(matches);
  }
  return predicate.field.dataset === "Interactions"
    ? holdsForHistory(predicate, eventTypes, context)
    : holds(predicate, record, context);
}

/** Returns whether the user had one of these events with the item; for NOT IN, whether the user had none of them. */
function holdsForHistory(
  { operator, operands }: Condition,
  eventTypes: ReadonlySet<string> | undefined,
  context: FilterContext,
): boolean {
  const wanted = operands.flatMap((operand) => textsOf(operand, context) ?? []);
  const found = wanted.some((type) =>
    type === "*" ? eventTypes !== undefined : eventTypes?.has(type.toLowerCase()) === true,
  );
  return found === (operator === "IN");
}

function holds(condition: Condition, record: FilterRecord | undefined, context: FilterContext): boolean {
  const { operator, operands, field } = condition;
  const value = columnValue(record, field.field);
  if (operator === "IN" || operator === "NOT IN") {
    const wanted = operands.flatMap((operand) => textsOf(operand, context) ?? []);
    if (wanted.length === 0) return false;
    const found = parts(value).some((part) => wanted.includes(part));
    return found === (operator === "IN");
  }
  const [operand] = operands;
  if (!operand || value === null) return false;
  if (typeof value === "string") return textsOf(operand, context)?.some((text) => parts(value).includes(text)) === true;
  const other = numberOf(operand, context);
  return other !== undefined && COMPARE[operator](value, other);
}

const COMPARE = {
  "=": (a: number, b: number) => a === b,
  "!=": (a: number, b: number) => a !== b,
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
} as const;

function textsOf(operand: Operand, { values, currentItem }: FilterContext): readonly string[] | undefined {
  if (operand.kind === "text") return [operand.value];
  if (operand.kind === "placeholder") return values[operand.name];
  if (operand.kind === "field") return parts(columnValue(currentItem, operand.field.field));
  return [String(operand.value)];
}

function numberOf(operand: Operand, { values, currentItem }: FilterContext): number | undefined {
  if (operand.kind === "number") return operand.value;
  if (operand.kind === "field") {
    const value = columnValue(currentItem, operand.field.field);
    return typeof value === "number" ? value : undefined;
  }
  if (operand.kind === "text") return undefined;
  checkNumber(operand.name, values);
  const given = values[operand.name];
  return given && Number(given[0]);
}

function parts(value: string | number | null): readonly string[] {
  if (value === null) return [];
  return typeof value === "number" ? [String(value)] : value.split("|");
}

function columnValue(record: FilterRecord | undefined, field: string): string | number | null {
  if (!record) return null;
  const direct = record[field];
  if (direct !== undefined) return direct;
  const wanted = field.toUpperCase();
  const name = Object.keys(record).find((key) => key.toUpperCase() === wanted);
  return (name !== undefined ? record[name] : undefined) ?? null;
}

/** The values that a request gives its placeholders, by name without the dollar sign. */
export type FilterValues = Readonly<Record<string, readonly string[]>>;

const ONE_VALUE = /\s*(?:"([^"]*)"|(-?\d+(?:\.\d+)?))\s*(,|$)/y;

/** Returns the names of a filter's placeholders, without the dollar sign, in order of appearance. */
export function placeholders(filter: Filter | string): string[] {
  const parsed = typeof filter === "string" ? parseFilter(filter) : filter;
  return [...new Set([...placeholderUses(parsed)].map(({ name }) => name))];
}

/** Yields the uses of placeholders. `isNumber` tells whether one is compared as a number; `=` after IF compares text. */
export function* placeholderUses(filter: Filter): Generator<{ name: string; isNumber: boolean }> {
  for (const { condition, inIf } of everyCondition(filter)) {
    const { operator, operands } = condition;
    const isNumber = operator !== "IN" && operator !== "NOT IN" && !(inIf && operator === "=");
    for (const operand of operands) if (operand.kind === "placeholder") yield { name: operand.name, isNumber };
  }
}

/** Returns the placeholders that a request must fill: those of INCLUDE. Values for EXCLUDE are optional. */
export function requiredPlaceholders(filter: Filter): string[] {
  return placeholders({ clauses: filter.clauses.filter(({ verb }) => verb === "INCLUDE") });
}

/**
 * Parses `filterValues` of a runtime request: `{"GENRE": "\"Comedy\",\"Drama\""}` gives `{GENRE: ["Comedy", "Drama"]}`.
 * Numbers need no quotes. Throws `FilterError` with the name of a parameter that does not have this form.
 */
export function parseFilterValues(values: Readonly<Record<string, string>>): FilterValues {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, parseOne(name, text)]));
}

function parseOne(name: string, text: string): string[] {
  const found: string[] = [];
  let separator: string | undefined = ",";
  let position = 0;
  while (separator === ",") {
    ONE_VALUE.lastIndex = position;
    const match = ONE_VALUE.exec(text);
    const value = match?.[1] ?? match?.[2];
    if (value === undefined) {
      throw new FilterError(
        `the values of parameter ${name} are texts in double quotes, joined by commas, got ${JSON.stringify(text)}`,
      );
    }
    found.push(value);
    separator = match?.[3];
    position = ONE_VALUE.lastIndex;
  }
  return found;
}
