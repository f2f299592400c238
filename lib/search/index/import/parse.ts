import { isUtf8 } from "node:buffer";
import { parse } from "csv-parse/sync";
import type { Format } from "../../../platform/contract/search.ts";
import { isObject, parseJson, valueAt } from "../../../platform/json/values.ts";
import type { IndexField } from "../../opensearch/index-catalog.ts";
import type { Writable } from "../rebuild/write.ts";
import { hasDocument, type Slice } from "./slices.ts";

/** A document of a file, or the reason why it cannot be written. */
export type Parsed = { at: number } & ({ document: Writable } | { id?: string; reason: string; text: string });

export interface ParseOptions {
  format: Format;
  /** The field with the id. If absent, ids are made of `prefix`, slice number and position. */
  idField: string | undefined;
  prefix: string;
  /** The fields of the index, whose types the cells of a CSV file get. */
  fields?: ReadonlyMap<string, Pick<IndexField, "type">>;
  /** Whether to check that documents are JSON objects, for a writer that concatenates them. */
  check: boolean;
}

/** Returns the documents of a slice, in its order. */
export function parseSlice(slice: Slice, options: ParseOptions): Parsed[] {
  const parsed = options.format === "csv" ? rows(slice, options) : lines(slice, options);
  return parsed.map((one, place) =>
    "document" in one && one.document.id === ""
      ? { ...one, document: { ...one.document, id: `${options.prefix}-${slice.slice}-${place}` } }
      : one,
  );
}

function lines({ bytes, from }: Slice, options: ParseOptions): Parsed[] {
  const parsed: Parsed[] = [];
  let action: { at: number; text: string } | undefined;
  const start = from === 0 && bytes.subarray(0, 3).equals(BOM) ? BOM.length : 0;
  const valid = isUtf8(bytes);
  for (let at = start; at < bytes.length; ) {
    const found = bytes.indexOf(0x0a, at);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(at, end);
    const text = line.toString("utf8").trim();
    const place = { at: from + at };
    at = end + 1;
    if (!valid && !isUtf8(line)) {
      parsed.push({ ...place, reason: "the line is not UTF-8", text });
      action = undefined;
    } else if (action) {
      parsed.push({ at: action.at, ...pair(action.text, text, options) });
      action = undefined;
    } else if (text === "") continue;
    else if (options.format === "documents") parsed.push({ ...place, ...plain(text, options) });
    else if (hasDocument(text)) action = { ...place, text };
    else parsed.push({ ...place, reason: "an import does not delete: only index and create are taken", text });
  }
  if (action) parsed.push({ at: action.at, reason: "no document follows the last action", text: action.text });
  return parsed;
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

type Outcome = { document: Writable } | { id?: string; reason: string; text: string };

function pair(action: string, source: string, { check }: ParseOptions): Outcome {
  const text = `${action}\n${source}`;
  const parsed = parseJson(action);
  const [[op, given] = [], ...others] = Object.entries(isObject(parsed) ? parsed : {});
  if ((op !== "index" && op !== "create") || !isObject(given) || others.length > 0) {
    return { reason: "the action is neither index nor create", text };
  }
  const { _id, routing, version, version_type: versionType } = given;
  const id = _id === undefined ? "" : idOf(_id);
  if (id === undefined) return { reason: "_id is neither text nor a whole number", text };
  if (check && !isObject(parseJson(source))) return { id, reason: "the document is not a JSON object", text };
  const document: Writable = { op, id, source };
  if (routing !== undefined) document.routing = String(routing);
  if (versionType === "external" || versionType === "external_gte") {
    if (!Number.isSafeInteger(version))
      return { id, reason: `version ${version} is not a whole number below 2^53`, text };
    document.version = BigInt(version as number);
    document.versionType = versionType;
  }
  return { document };
}

function plain(source: string, { idField, check }: ParseOptions): Outcome {
  if (idField === undefined && !check) return { document: { id: "", source } };
  const parsed = parseJson(source);
  if (!isObject(parsed)) return { reason: "the line is not a JSON object", text: source };
  const id = idField === undefined ? "" : idOf(valueAt(parsed, idField));
  if (id === undefined) return { reason: `${idField} holds no id: text or a whole number`, text: source };
  return { document: { id, source } };
}

function rows({ bytes, from, columns = [] }: Slice, { idField, fields }: ParseOptions): Parsed[] {
  const parsed: Parsed[] = [];
  if (!isUtf8(bytes)) return [{ at: from, reason: "the rows are not UTF-8", text: bytes.toString("utf8") }];
  let at = from;
  const options = { info: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true } as const;
  const records = parse(bytes, options) as unknown as Array<{ record: string[]; info: { bytes: number } }>;
  for (const { record, info } of records) {
    const place = { at };
    at = from + info.bytes;
    const text = JSON.stringify(record);
    if (record.length !== columns.length) {
      const reason = `the row has ${record.length} cells, and the header ${columns.length}`;
      parsed.push({ ...place, reason, text });
      continue;
    }
    const members = columns.flatMap((column, index) => {
      const cell = record[index] ?? "";
      return cell === "" ? [] : [`${JSON.stringify(column)}:${jsonOf(cell, fields?.get(column)?.type)}`];
    });
    const source = `{${members.join(",")}}`;
    const id = idField === undefined ? "" : record[columns.indexOf(idField)];
    if (idField !== undefined && !id) parsed.push({ ...place, reason: `the row has no ${idField}`, text });
    else parsed.push({ ...place, document: { id: id ?? "", source } });
  }
  return parsed;
}

const NUMBERS: ReadonlySet<unknown> = new Set([
  ...["long", "integer", "short", "byte", "unsigned_long"],
  ...["double", "float", "half_float", "scaled_float", "rank_feature"],
]);

/** Returns a cell as JSON: numbers and truth values where the field has them, all digits as written, else a text. */
function jsonOf(cell: string, type: string | undefined): string {
  const isValue = NUMBERS.has(type)
    ? /^-?(0|[1-9]\d*)(\.\d+)?$/.test(cell)
    : type === "boolean" && /^(true|false)$/.test(cell);
  return isValue ? cell : JSON.stringify(cell);
}

/** Returns an id as text; undefined for values that cannot be an id. */
function idOf(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
