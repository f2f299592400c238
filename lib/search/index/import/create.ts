import * as v from "valibot";
import type { Format } from "../../../platform/contract/search.ts";
import { runIndex } from "../../index-meta/run-names.ts";
import { RunFailure } from "../rebuild/failure.ts";
import type { ImportRecord } from "../rebuild/in-place-records.ts";
import { documents, indices } from "../rebuild/requests.ts";
import type { RunCalls } from "../rebuild/run-calls.ts";
import { createRecord, newRun } from "../rebuild/run-record.ts";
import type { ImportFile } from "./slices.ts";

export interface NewImport {
  /** The index or alias that is written to. */
  name: string;
  files: readonly ImportFile[];
  /** The user's name for the files. */
  from: string;
  format: Format;
  idField: string | undefined;
  /** Whether documents are sent through the gateway's bulk endpoint, which embeds them. */
  embed: boolean;
  now: Date;
  /** Bytes of a slice. Default: 2 MiB, which makes one `_bulk` call. */
  sliceBytes?: number;
}

const SLICE_BYTES = 2 * 1024 * 1024;

/** Creates a run that imports files into an existing index. Returns its record. */
export async function createImport(calls: RunCalls, given: NewImport): Promise<ImportRecord> {
  const { name, files, from, format, idField, embed, now, sliceBytes = SLICE_BYTES } = given;
  if (files.length === 0) throw new RunFailure(`There are no files at ${from}`);
  await requireTarget(calls, name);
  const record: ImportRecord = {
    ...newRun(name, now),
    kind: "import",
    format,
    ...(idField !== undefined && { id_field: idField }),
    embed,
    slice_bytes: sliceBytes,
    since: Math.floor((now.getTime() - Date.UTC(2020)) / 1_000),
    next: { slice: 0, file: 0, offset: 0 },
    ahead: [],
    from,
    files: files.length,
  };
  await createRecord(calls, record);
  await calls.json(documents.index({ ...filesOf(record.id), body: { files } }));
  return record;
}

/** Throws RunFailure unless the name is a writable index or alias. */
async function requireTarget(calls: RunCalls, name: string): Promise<void> {
  const answer = await calls.json(indices.getSettings({ index: name, flat_settings: true }), [404]);
  if (answer.error !== undefined) {
    throw new RunFailure(`There is no index or alias ${name}: create it with \`relevance index create\``);
  }
}

const filesOf = (id: string) => ({ index: runIndex(id), id: "files" });

/** Reads the files of an import. */
export async function readFiles(calls: RunCalls, id: string): Promise<ImportFile[]> {
  const answer = await calls.json(documents.get(filesOf(id)), [404]);
  const stored = v.safeParse(Files, answer._source);
  if (!stored.success) throw new RunFailure(`The run ${id} was not begun properly: cancel it and start a new one`);
  return stored.output.files;
}

const Files = v.object({ files: v.array(v.object({ name: v.string(), size: v.number(), tag: v.string() })) });
