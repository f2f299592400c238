import * as v from "valibot";
import { DATASETS, type Dataset } from "../../lib/platform/contract/recommendation.ts";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { withIds } from "../../lib/recommendation/schema/ids.ts";
import { placeOf, SampleError } from "../../lib/recommendation/schema/row.ts";
import { idWarnings } from "../../lib/recommendation/schema/warnings.ts";
import { countRows } from "../../lib/recommendation/upload/files.ts";
import { checkTarget, type RejectedRow, UploadError, type UploadTarget } from "../../lib/recommendation/upload/send.ts";
import { createProgress, type UploadedFile, uploadFile } from "../../lib/recommendation/upload/upload-file.ts";
import { RunFailure } from "../../lib/search/index/rebuild/failure.ts";
import type { FileFormat } from "../../lib/settings/etl.ts";
import { loadFileFormat } from "../../lib/settings/load.ts";
import { givenKey, KEY_VARIABLE, keyOption } from "../api-key.ts";
import { defineCommand, type ExitCode } from "../command.ts";
import { withLocalFiles } from "../gateway/s3-files.ts";
import { option } from "../options.ts";
import { nullOption, Path } from "../recommendation/sample-options.ts";
import type { Terminal } from "../terminal.ts";

const File = v.optional(Path);

/** How many rejected rows of a file to print. `--json` shows more. */
const SHOWN = 20;

const TITLES = { user: "users", item: "items", interaction: "interactions" } as const;

/** `relevance upload-sample`: uploads users, items and interactions from files to the data endpoints. */
export const command = defineCommand({
  example: [
    "RELEVANCE_API_KEY=KEY relevance upload-sample --users users.csv --items items.csv \\",
    "    --interactions interactions.csv --api-host https://abc123.execute-api.eu-west-1.amazonaws.com/v1",
    "relevance upload-sample --items s3://my-bucket/items.csv.gz --api-host …",
    "",
    "After an interruption run the same command again: it uploads the files from the start and adds no duplicates.",
  ].join("\n  "),
  json: true,
  options: {
    users: option("--users <file>", "users, CSV or JSON: a path or s3://bucket/key", File),
    items: option("--items <file>", "items, likewise", File),
    interactions: option("--interactions <file>", "events, likewise", File),
    apiHost: option(
      "--api-host <url>",
      `URL of the recommendation API whose key is in ${KEY_VARIABLE}, as \`relevance info\` prints them`,
      v.string(),
    ),
    apiKey: keyOption,
    ...nullOption,
  },
  run: async ({ conf, users, items, interactions, apiHost, apiKey, null: words, json }, context) => {
    const { terminal } = context;
    const files: Record<Dataset, string | undefined> = { user: users, item: items, interaction: interactions };
    const given = DATASETS.flatMap((dataset) => {
      const file = files[dataset];
      return file === undefined ? [] : [{ dataset, file }];
    });
    if (given.length === 0) throw new UsageError("There is nothing to upload: give --users, --items or --interactions");
    const target = { url: urlOf(apiHost), apiKey: keyOf(givenKey(apiKey, context)) };
    const kept = loadFileFormat(conf);
    const format = words.length > 0 ? { ...kept, no_value: words } : kept;
    let shown = (text: string) => text;
    try {
      await checkTarget(target);
      const { results, warnings } = await withLocalFiles(given, context, async (local, named) => {
        shown = named;
        const uploaded = await uploadAll(local, target, format, terminal);
        return {
          results: uploaded.results.map((result) => ({ ...result, file: named(result.file) })),
          warnings: uploaded.warnings.map(named),
        };
      });
      if (json)
        terminal.printJson({
          ...Object.fromEntries(results.map((result) => [TITLES[result.dataset], asJson(result)])),
          ...(warnings.length > 0 && { warnings }),
        });
      else for (const result of results) print(result, terminal);
      if (!json) for (const warning of warnings) terminal.note(`Warning: ${warning}`);
      const exitCode: ExitCode = results.some(({ rejected }) => rejected > 0) ? 1 : 0;
      return exitCode;
    } catch (error) {
      if (error instanceof SampleError) throw new UsageError(shown(error.message), { cause: error });
      if (error instanceof RunFailure) throw new Failure(error.message, { cause: error });
      if (!(error instanceof UploadError)) throw error;
      if (error.wrongInput) throw new UsageError(shown(error.message), { cause: error });
      throw new Failure(`${shown(error.message)}\nRun the same command again: what was accepted is not added twice.`, {
        cause: error,
      });
    }
  },
});

type Result = UploadedFile & { dataset: Dataset; file: string };

/**
 * Uploads the files. First reads each one to the end, so that a malformed row is found before anything is sent, and compares
 * their ids.
 */
async function uploadAll(
  given: readonly { dataset: Dataset; file: string }[],
  target: UploadTarget,
  format: FileFormat,
  terminal: Terminal,
): Promise<{ results: Result[]; warnings: string[] }> {
  const warnings: string[] = [];
  const datasets = given.map(({ dataset }) => dataset);
  const { result: rows, ids } = await withIds(datasets, async (addIds) => {
    const rows = new Map<Dataset, number>();
    for (const { dataset, file } of given) {
      const counted = await countRows(dataset, file, { format, addIds });
      rows.set(dataset, counted.rows);
      warnings.push(...counted.suspects);
    }
    return rows;
  });
  const files = Object.fromEntries(given.map(({ dataset, file }) => [dataset, file]));
  warnings.push(...idWarnings(ids, files, rows.get("interaction") ?? 0));
  const results: Result[] = [];
  // With NO_COLOR, prints plain lines, because replacing a line also takes a control sequence.
  const output = { isTerminal: terminal.noteColors.isColorSupported, note: terminal.note };
  for (const { dataset, file } of given) {
    const progress = createProgress(output, TITLES[dataset], rows.get(dataset) ?? 0);
    const uploaded = await uploadFile({ target, dataset, file, format, onProgress: progress });
    results.push({ ...uploaded, dataset, file });
  }
  return { results, warnings };
}

function print({ dataset, file, accepted, rejected, rejectedRows, degraded }: Result, terminal: Terminal): void {
  const { green, red } = terminal.colors;
  const refused = rejected > 0 ? red(`${count(rejected)} rejected`) : "none rejected";
  terminal.print(`${TITLES[dataset].padEnd(12)} ${green(`${count(accepted)} accepted`)}, ${refused}`);
  for (const row of rejectedRows.slice(0, SHOWN)) terminal.note(`  ${placeOf(file, row)}  ${reasonsOf(row)}`);
  if (rejected > SHOWN) terminal.note(`  and ${count(rejected - Math.min(SHOWN, rejectedRows.length))} more`);
  for (const reason of degraded) terminal.note(`  stored, but not passed on in real time: ${reason}`);
}

function asJson({ file, accepted, rejected, rejectedRows, retries, degraded }: Result) {
  return { file, accepted, rejected, rejected_rows: rejectedRows, retries, degraded };
}

function reasonsOf({ issues }: RejectedRow): string {
  return issues.map(({ path, message }) => (path === "" ? message : `${path} ${message}`)).join("; ");
}

/** Returns the URL of a host. A host without a scheme gets https, which AWS uses. */
function urlOf(host: string): string {
  const url = (/^https?:\/\//.test(host) ? host : `https://${host}`).replace(/(?<!\/)\/+$/, "");
  if (URL.canParse(url)) return url;
  throw new UsageError(`--api-host ${JSON.stringify(host)} is not an address: give a URL such as https://host/v1`);
}

function keyOf(key: string | undefined): string {
  if (key === undefined) throw new UsageError(`The key of the API is missing: put it into ${KEY_VARIABLE}`);
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError(
    "The API key is not valid: it is empty, or contains blanks or other characters that a header cannot contain",
  );
}

const count = (number: number) => number.toLocaleString("en");
