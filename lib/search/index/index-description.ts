import { isObject } from "../../platform/json/values.ts";

/** A base schema that cannot be extended. The message says what is wrong with it and what to do. */
export class SchemaError extends Error {
  override name = "SchemaError";
}

/** The part of an index description that a new index can be created from. */
export interface IndexSchema {
  settings: { index: Record<string, unknown> };
  mappings: Record<string, unknown>;
  aliases?: Record<string, unknown>;
}

/** A parsed index description. */
export interface IndexDescription {
  schema: IndexSchema;
  /** The user's settings that are dropped, such as `index.refresh_interval`. */
  leftOut: string[];
}

/** Settings that are copied: the index's size, and definitions that its mappings refer to by name. */
const KEPT = ["number_of_shards", "number_of_replicas", "analysis", "similarity"];

/** Settings that the cluster writes itself, and refuses or ignores when an index is created. */
const OF_THE_CLUSTER =
  /^((replication|provided_name|creation_date|uuid|version|history|resize|routing|merge)(\.|$)|knn$|knn\.derived_source)/;

const PARTS = ["settings", "mappings", "aliases"];

/**
 * Reads a base schema: a body for creating an index, or the answer of `GET /raw-backend/<index>`, an object keyed by
 * the index name. Drops settings that the cluster writes itself (uuid, version, creation_date, provided_name,
 * replication, …). Throws SchemaError if it is neither.
 */
export function readIndexDescription(value: unknown, source: string): IndexDescription {
  const body = unwrap(value, source);
  const { settings = {}, mappings = {}, aliases } = body;
  const index = indexSettings(section(settings, "settings", source));
  const kept = Object.fromEntries(KEPT.filter((key) => key in index).map((key) => [key, sized(index[key])]));
  const schema: IndexSchema = {
    settings: { index: kept },
    mappings: section(mappings, "mappings", source),
    ...(aliases !== undefined && { aliases: section(aliases, "aliases", source) }),
  };
  const leftOut = Object.keys(index).filter((key) => !KEPT.includes(key) && !OF_THE_CLUSTER.test(key));
  return { schema, leftOut: leftOut.map((key) => `index.${key}`) };
}

function unwrap(value: unknown, source: string): Record<string, unknown> {
  if (!isObject(value)) throw new SchemaError(`${source} is not an index description: it holds no JSON object`);
  if (PARTS.some((part) => part in value)) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (
    first !== undefined &&
    entries.length === 1 &&
    isObject(first[1]) &&
    PARTS.some((part) => part in Object(first[1]))
  ) {
    return first[1];
  }
  if ("error" in value) {
    throw new SchemaError(
      `${source} holds an error of the cluster, not an index description: ${JSON.stringify(value).slice(0, 200)}`,
    );
  }
  if (entries.length > 1 && entries.every(([, below]) => isObject(below) && "mappings" in below)) {
    const names = entries.map(([name]) => name).join(", ");
    throw new SchemaError(`${source} describes ${entries.length} indices (${names}): give one`);
  }
  throw new SchemaError(
    `${source} is not an index description: it needs "mappings" (and may have "settings" and "aliases"), ` +
      "as GET /raw-backend/<index> answers",
  );
}

function section(value: unknown, name: string, source: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new SchemaError(`${source} is not an index description: "${name}" is not an object`);
}

/** Flattens settings, which may be `{"index": {"knn": …}}`, `{"index.knn": …}` or without `index`. */
function indexSettings(settings: Record<string, unknown>): Record<string, unknown> {
  const flat = Object.entries(settings).map(([key, value]) => [key.replace(/^index\./, ""), value] as const);
  const nested = isObject(settings.index) ? settings.index : {};
  return { ...Object.fromEntries(flat.filter(([key]) => key !== "index")), ...nested };
}

/** Converts numeric settings, which the cluster returns as text. */
function sized(value: unknown): unknown {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}
