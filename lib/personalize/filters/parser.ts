import { FilterError, shown, TokenReader } from "./tokens.ts";

/** A column in a condition. `CurrentUser` is the user's row in Users, `CurrentItem` the row of the requested item. */
export interface FieldReference {
  dataset: "Items" | "Interactions" | "CurrentUser" | "CurrentItem";
  field: string;
  position: number;
}

/** The value to compare a field with: a constant, a `$NAME` that the request fills, or a column of the current item. */
export type Operand =
  | { kind: "text"; value: string; position: number }
  | { kind: "number"; value: number; position: number }
  | { kind: "placeholder"; name: string; position: number }
  | { kind: "field"; field: FieldReference; position: number };

type Comparison = "=" | "!=" | "<" | "<=" | ">" | ">=";
type Membership = "IN" | "NOT IN";

/** A test of one column. A comparison has exactly one operand. */
export interface Condition {
  kind: "condition";
  field: FieldReference;
  operator: Comparison | Membership;
  operands: readonly Operand[];
  position: number;
}

/** Conditions joined by AND and OR; AND binds tighter, as in SQL. */
export type Predicate = Condition | { kind: "and" | "or"; parts: readonly Predicate[] };

/** One expression of a filter: `INCLUDE ItemID WHERE … IF …`. A filter joins its expressions with `|`. */
export interface Clause {
  verb: "INCLUDE" | "EXCLUDE";
  where: Predicate;
  /** The clause applies only if all of these hold; empty without IF. */
  onlyIf: readonly Condition[];
  position: number;
}

/** A parsed filter expression. */
export interface Filter {
  clauses: readonly Clause[];
}

/** Returns the conditions of a predicate, in the order they were written. */
function conditionsOf(predicate: Predicate): readonly Condition[] {
  return predicate.kind === "condition" ? [predicate] : predicate.parts.flatMap(conditionsOf);
}

/** Yields every condition of a filter with its clause. Within a clause, the conditions after IF come last. */
export function* everyCondition(filter: Filter): Generator<{ clause: Clause; condition: Condition; inIf: boolean }> {
  for (const clause of filter.clauses) {
    for (const condition of conditionsOf(clause.where)) yield { clause, condition, inIf: false };
    for (const condition of clause.onlyIf) yield { clause, condition, inIf: true };
  }
}

const DATASETS: Readonly<Record<string, FieldReference["dataset"]>> = {
  items: "Items",
  interactions: "Interactions",
  currentuser: "CurrentUser",
  currentitem: "CurrentItem",
};

/**
 * Parses a filter expression of Amazon Personalize. Ignores the case of keywords, datasets and fields, which vary in
 * the service's own examples (`EXCLUDE itemId WHERE INTERACTIONS.event_type in ("Click")`). Throws `FilterError` for
 * the first syntax error. Does not check whether the fields exist; `validateFilter` does.
 */
export function parseFilter(expression: string): Filter {
  const tokens = new TokenReader(expression);
  const clauses: Clause[] = [];
  do clauses.push(readClause(tokens));
  while (tokens.takeSymbol("|"));
  tokens.expectEnd();
  return { clauses };
}

/** Returns the filter of an expression; undefined for one with a syntax error, which a check reports. */
export function validFilter(expression: string): Filter | undefined {
  try {
    return parseFilter(expression);
  } catch (error) {
    if (error instanceof FilterError) return undefined;
    throw error;
  }
}

function readClause(tokens: TokenReader): Clause {
  const { position } = tokens.peek();
  const verb = tokens.expectWord("INCLUDE", "EXCLUDE");
  const subject = tokens.expectWord("ItemID", "UserID", "ActionID");
  if (subject !== "ItemID") {
    throw new FilterError(`only ItemID can be filtered here: recommendations hold items, not ${subject}`, position);
  }
  tokens.expectWord("WHERE");
  const where = readOr(tokens);
  const onlyIf = tokens.takeWord("IF") ? readIf(tokens) : [];
  return { verb, where, onlyIf, position };
}

function readOr(tokens: TokenReader): Predicate {
  const parts: Predicate[] = [];
  do parts.push(readAnd(tokens));
  while (tokens.takeWord("OR"));
  return joined("or", parts);
}

function readAnd(tokens: TokenReader): Predicate {
  const parts: Predicate[] = [];
  do parts.push(readCondition(tokens));
  while (tokens.takeWord("AND"));
  return joined("and", parts);
}

function joined(kind: "and" | "or", parts: readonly Predicate[]): Predicate {
  const [only] = parts;
  return only && parts.length === 1 ? only : { kind, parts };
}

function readIf(tokens: TokenReader): Condition[] {
  const conditions: Condition[] = [];
  do conditions.push(readCondition(tokens));
  while (tokens.takeWord("AND"));
  const { position } = tokens.peek();
  if (tokens.takeWord("OR")) throw new FilterError("an IF condition can be extended by AND only, not by OR", position);
  if (tokens.takeWord("IF")) throw new FilterError("IF stands once, at the end; join its conditions by AND", position);
  return conditions;
}

function readCondition(tokens: TokenReader): Condition {
  const { position } = tokens.peek();
  if (tokens.takeSymbol("(")) {
    throw new FilterError('conditions cannot be grouped by parentheses; join expressions by "|" instead', position);
  }
  const field = readField(tokens);
  const operator = readOperator(tokens);
  const operands =
    operator === "IN" || operator === "NOT IN" ? readList(tokens, operator) : [readSingle(tokens, operator)];
  return { kind: "condition", field, operator, operands, position };
}

function readField(tokens: TokenReader): FieldReference {
  const { position, value } = tokens.expect("word", "a field such as Items.CATEGORY");
  const dataset = DATASETS[value.toLowerCase()];
  if (!dataset) {
    throw new FilterError(
      `unknown dataset "${value}": a field is Items.X, Interactions.EVENT_TYPE, CurrentUser.X or CurrentItem.X`,
      position,
    );
  }
  if (!tokens.takeSymbol(".")) throw new FilterError(`"${value}" needs a field, as in ${value}.NAME`, position);
  const field = tokens.expect("word", `a field of ${dataset}`).value;
  return { dataset, field, position };
}

function readOperator(tokens: TokenReader): Comparison | Membership {
  const { kind, value, position } = tokens.peek();
  if (kind === "operator") {
    tokens.next();
    return value as Comparison;
  }
  if (tokens.takeWord("IN")) return "IN";
  if (tokens.takeWord("NOT_IN")) return "NOT IN";
  if (tokens.takeWord("NOT")) {
    tokens.expectWord("IN");
    return "NOT IN";
  }
  throw new FilterError(`expected IN, NOT IN, =, !=, <, <=, > or >=, got ${shown(tokens.peek())}`, position);
}

function readList(tokens: TokenReader, operator: Membership): Operand[] {
  if (tokens.peek().kind === "word") return [readFieldOperand(tokens)];
  const { position } = tokens.peek();
  if (!tokens.takeSymbol("(")) {
    throw new FilterError(`the values after ${operator} stand in parentheses, as in ${operator} ("a", "b")`, position);
  }
  const operands: Operand[] = [];
  do operands.push(readOperand(tokens));
  while (tokens.takeSymbol(","));
  tokens.expectSymbol(")");
  return operands;
}

/** Reads the value of a comparison. Personalize's documentation also writes it in parentheses: `> ($VALUE)`. */
function readSingle(tokens: TokenReader, operator: Comparison): Operand {
  const inParentheses = tokens.takeSymbol("(");
  const operand = readOperand(tokens);
  if (inParentheses) {
    const { position } = tokens.peek();
    if (tokens.takeSymbol(",")) throw new FilterError(`${operator} compares with one value`, position);
    tokens.expectSymbol(")");
  }
  return operand;
}

function readOperand(tokens: TokenReader): Operand {
  const token = tokens.peek();
  const { position, value } = token;
  switch (token.kind) {
    case "text":
      tokens.next();
      if (value === "") throw new FilterError("an empty text matches nothing", position);
      return { kind: "text", value, position };
    case "number":
      tokens.next();
      return { kind: "number", value: Number(value), position };
    case "placeholder":
      tokens.next();
      return { kind: "placeholder", name: value, position };
    case "word":
      return readFieldOperand(tokens);
    default:
      throw new FilterError(`expected a "text", a number or a $PLACEHOLDER, got ${shown(token)}`, position);
  }
}

function readFieldOperand(tokens: TokenReader): Operand {
  const { value, position } = tokens.peek();
  if (value.toLowerCase() !== "currentitem") {
    throw new FilterError(
      `texts are written in double quotes, and only a field of CurrentItem can be a value, got ${value}`,
      position,
    );
  }
  return { kind: "field", field: readField(tokens), position };
}
