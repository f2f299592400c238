import {
  MAX_CATEGORY,
  MAX_EVENT_PROPERTIES,
  MAX_ID,
  MAX_IMPRESSION,
  MAX_RECOMMENDATION_ID,
} from "../../personalize/limits.ts";
import type { Issue } from "../../platform/http/error.ts";
import { isObject } from "../../platform/json/values.ts";
import type { Definitions, StoredEvent, Value } from "./layout.ts";
import { trainedEvent } from "./trained-event.ts";
import {
  idReader,
  keep,
  notAnObject,
  oneItem,
  type Parsed,
  type Read,
  readFloat,
  readId,
  readSeconds,
  readText,
  readValue,
  show,
  unknownColumns,
} from "./value.ts";

/** Defaults for events without a time or an id. */
interface EventDefaults {
  /** Whole seconds since 1970. */
  now: () => number;
  id: () => string;
}

/** Columns that every event may have, regardless of the schema, with their contents. */
export const EVENT_COLUMNS = [
  { name: "EVENT_ID", type: "id", nullable: false },
  { name: "USER_ID", type: "id", nullable: false },
  { name: "ITEM_ID", type: "item", nullable: false },
  { name: "EVENT_TYPE", type: "id", nullable: false },
  { name: "EVENT_VALUE", type: "float", nullable: true },
  { name: "TIMESTAMP", type: "seconds", nullable: false },
  { name: "SESSION_ID", type: "id", nullable: true },
  { name: "IMPRESSION", type: "impression", nullable: true },
  { name: "RECOMMENDATION_ID", type: "recommendation", nullable: true },
] as const;

const NAMES: readonly string[] = EVENT_COLUMNS.map(({ name }) => name);

/** Returns the columns of the schema that only some events have. */
export const customColumns = ({ etl }: Definitions) =>
  etl.interaction.columns.filter(({ name }) => !NAMES.includes(name));

/**
 * Creates a parser for events. Events from clients need `defaults`; stored events already have an id and a time. Use
 * `unknown: "ignore"` for events that were stored under an older schema.
 */
export function eventParser(
  definitions: Definitions,
  defaults?: EventDefaults,
  unknown: "refuse" | "ignore" = "refuse",
) {
  const custom = customColumns(definitions);
  const known = new Set([...NAMES, ...custom.map(({ name }) => name)]);
  const trained = trainedEvent(definitions);
  const idOf = idReader(definitions);

  return (value: unknown): Parsed<StoredEvent> => {
    if (!isObject(value)) return notAnObject(value);
    const issues: Issue[] = [];
    const need = <T extends Value>(
      path: string,
      read: Read<T>,
      fallback: T,
      missing: string | false = "is missing",
    ): T => {
      if (read === undefined) {
        if (missing !== false) issues.push({ path, message: missing });
        return fallback;
      }
      if ("value" in read) return read.value;
      issues.push({ path, message: read.issue });
      return fallback;
    };
    const may = <T extends Value>(path: string, read: Read<T>): T | undefined => {
      if (read === undefined || "value" in read) return read?.value;
      issues.push({ path, message: read.issue });
      return undefined;
    };
    const EVENT_ID = need("EVENT_ID", readId(value.EVENT_ID), defaults?.id() ?? "", !defaults && "is missing");
    const user = idOf(value.USER_ID);
    const session = idOf(value.SESSION_ID);
    // Until a visitor logs in, the session is the user. Stored events always have one.
    const USER_ID = defaults
      ? need("USER_ID", user ?? session, "", "is missing: without it, an event needs a SESSION_ID")
      : need("USER_ID", user, "");
    const ITEM_ID = need("ITEM_ID", oneItem(idOf(value.ITEM_ID)), "");
    const EVENT_TYPE = need("EVENT_TYPE", readId(value.EVENT_TYPE), "");
    const now = defaults?.now();
    const TIMESTAMP = need("TIMESTAMP", readSeconds(value.TIMESTAMP, now), now ?? 0, !defaults && "is missing");
    const SESSION_ID = need("SESSION_ID", session, USER_ID, false);
    const EVENT_VALUE = isNothing(value.EVENT_VALUE) ? undefined : may("EVENT_VALUE", readFloat(value.EVENT_VALUE));
    const IMPRESSION = isNothing(value.IMPRESSION)
      ? undefined
      : may("IMPRESSION", readImpression(value.IMPRESSION, defaults && ITEM_ID));
    const RECOMMENDATION_ID = may("RECOMMENDATION_ID", readId(value.RECOMMENDATION_ID, MAX_RECOMMENDATION_ID));
    const record: Record<string, Value> & StoredEvent = {
      EVENT_ID,
      USER_ID,
      ITEM_ID,
      EVENT_TYPE,
      ...(EVENT_VALUE !== undefined && { EVENT_VALUE }),
      TIMESTAMP,
      SESSION_ID,
      ...(IMPRESSION !== undefined && { IMPRESSION }),
      ...(RECOMMENDATION_ID !== undefined && { RECOMMENDATION_ID }),
    };
    for (const { name, type, nullable } of custom) {
      keep(record, issues, { path: name, read: readValue(type, value[name], MAX_CATEGORY), required: !nullable });
    }
    if (unknown === "refuse") issues.push(...unknownColumns(value, known));
    if (issues.length === 0 && custom.length > 0) {
      const { length } = trained(record).properties;
      if (length > MAX_EVENT_PROPERTIES) {
        const message = `columns of its own have ${length} characters as JSON, Personalize takes at most ${MAX_EVENT_PROPERTIES}`;
        issues.push({ path: "", message });
      }
    }
    return issues.length > 0 ? { id: EVENT_ID || undefined, issues } : { record };
  };
}

/** Returns whether an event of a client names a session and no user. */
export const isAnonymous = (value: unknown): boolean => isObject(value) && readId(value.USER_ID) === undefined;

const isNothing = (value: unknown) => value === undefined || value === null || value === "";

/** A list of items in another notation than `a|b`: in brackets, or with other separators. */
const FOREIGN_LIST = /^\s*[[({]|[,;\s]/;

/** Reads the items of an impression. Of a client's event, whose item is given, a text must not look like another list. */
function readImpression(value: unknown, item?: string): Read<string> {
  if (item !== undefined && typeof value === "string" && value !== item && !value.includes("|")) {
    if (FOREIGN_LIST.test(value))
      return { issue: `must be a list of ITEM_IDs or a text like "a|b", got ${show(value)}` };
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : typeof value === "string" ? value.split("|") : [];
  if (items.length === 0)
    return Array.isArray(value) ? undefined : { issue: `must be a list of ITEM_IDs, got ${show(value)}` };
  if (items.length > MAX_IMPRESSION.items) {
    return { issue: `has ${items.length} items, at most ${MAX_IMPRESSION.items} are allowed` };
  }
  for (const item of items) {
    const read = readId(item);
    if (!read || "issue" in read || read.value.includes("|")) {
      return { issue: `must be ITEM_IDs of 1 to ${MAX_ID} characters without "|", got ${show(item)}` };
    }
  }
  return readText(items.join("|"), MAX_IMPRESSION.characters);
}
