import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gatewayClient } from "@relevance/local/dev/gateway-client.ts";
import { type DevOptions, FIRST_PORT, PORTS } from "@relevance/local/dev/options.ts";
import { rememberedPort } from "@relevance/local/dev/ports.ts";
import { joinStack, runStack } from "@relevance/local/dev/run.ts";
import type { Scope } from "@relevance/local/dev/scope.ts";
import type { Addresses } from "@relevance/local/dev/state-file.ts";
import { buildSuggestionsOf } from "@relevance/local/dev/suggestions.ts";
import { converter, type Document, type LeftOut } from "./convert.ts";
import { createIndex, type Imported, importDocuments } from "./import.ts";
import { serveSearchPage } from "./page.ts";
import { type Answers, type Proposal, propose } from "./proposal.ts";
import { readTable, type Table } from "./rows.ts";
import { schemaOf } from "./schema.ts";
import { filesText, leftOutText, proposalText } from "./text.ts";
import { writeProject } from "./write.ts";

/** Rows that are searchable before the page opens. The others follow while somebody searches. */
const FIRST = 2_000;

export interface StartOptions {
  /** The user's file. */
  file: string;
  /** The folder of the project. */
  folder: string;
  answers: Answers;
  say: (line: string) => void;
}

/** A file that has been read and understood, and whose configuration is written. */
export interface Prepared {
  table: Table;
  proposal: Proposal;
  /** The documents, read from the rows again each time. */
  documents(from: number, to?: number): Generator<Document>;
}

/**
 * Reads a file, says what it makes of it, and writes the project's files. Throws a Question that an option answers, or
 * UsageError.
 */
export function prepare({ file, folder, answers, say }: StartOptions): Prepared {
  const table = readTable(file);
  const proposal = propose(file, table, answers);
  say(`\n${proposalText(file, table, proposal)}`);
  const leftOut: LeftOut = new Map();
  const toDocument = converter(proposal, leftOut);
  function* documents(from: number, to?: number) {
    for (const row of table.rows.slice(from, to)) yield toDocument(row);
  }
  const data = join("data", `${proposal.index}.ndjson`);
  writeDocuments(join(folder, data), documents(0));
  for (const line of leftOutText(leftOut)) say(`  ${line}`);
  const written = writeProject(folder, proposal);
  const about = "the rows as documents: for `relevance index import --format bulk`";
  say(`\n${filesText([{ file: data, change: "created", about }, ...written])}\n`);
  return { table, proposal, documents };
}

/** Writes documents as bulk actions, which `relevance index import` reads. */
function writeDocuments(path: string, documents: Iterable<Document>): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  try {
    for (const { id, doc } of documents)
      writeSync(file, `${JSON.stringify({ index: { _id: id } })}\n${JSON.stringify(doc)}\n`);
  } finally {
    closeSync(file);
  }
}

/**
 * Imports the rows into a stack that uses what was written, and serves a page that searches them, until Ctrl-C. The stack
 * is the one that runs in this folder already, else a new one.
 */
export async function startStackWith(
  prepared: Prepared,
  options: DevOptions,
  say: (line: string) => void,
): Promise<number> {
  const { conf, dir } = options;
  const joined = await joinStack(options, ({ state, scope }) => {
    const suggest = () => buildSuggestionsOf(state.aws, conf, say);
    return open(prepared, { state, scope, conf, dir, say, suggest, end: "Ctrl-C stops this page; the stack goes on." });
  });
  if (joined !== undefined) return joined;
  return runStack(options, ({ stack: { state, buildSuggestions: suggest }, scope }) =>
    open(prepared, { state, scope, conf, dir, say, suggest, end: "Ctrl-C stops everything; the data stays." }),
  );
}

interface OpenOptions {
  state: Pick<Addresses, "search" | "keys" | "console">;
  scope: Scope;
  conf: string;
  dir: string;
  say: (line: string) => void;
  /** Builds the suggestions. */
  suggest: () => Promise<void>;
  /** What Ctrl-C does. */
  end: string;
}

async function open({ table, proposal, documents }: Prepared, options: OpenOptions): Promise<void> {
  const { state, scope, conf, dir, say, suggest, end } = options;
  const { index } = proposal;
  const importing = new AbortController();
  scope.add(() => importing.abort());
  const gateway = gatewayClient(state.search.url, state.search.api_key);
  const target = { gateway, index, say, signal: importing.signal };
  const base = schemaOf(proposal);
  const outcome = await createIndex(target, { base, file: `schema/${index}.json`, conf });
  if (outcome === "kept") say(`The index ${index} is there already: rows with the same id are replaced.`);
  const all = table.rows.length;
  report(await importDocuments(target, documents(0, FIRST), { all }), say);
  if (importing.signal.aborted) return;
  await suggest();
  const port = await rememberedPort(dir, `page of ${index}`, FIRST_PORT + PORTS.length);
  const page = await serveSearchPage(
    proposal,
    state.search.url,
    state.keys?.[`${index}-page`] ?? state.search.api_key,
    port,
  );
  scope.add(() => page.stop());
  say(
    [
      "",
      `  search page  ${page.url}  (open it in a browser)`,
      `  console      ${state.console.url}`,
      `  API URL      ${state.search.url}`,
      `  API key      ${state.search.api_key}`,
      "",
      `A changed file in ${relative("", conf)} is used at once. ${end}`,
    ].join("\n"),
  );
  if (all <= FIRST) return;
  report(await importDocuments(target, documents(FIRST), { done: FIRST, all }), say);
  if (!importing.signal.aborted) await suggest();
}

const MOST_REFUSED = 5;

function report({ refused }: Imported, say: (line: string) => void): void {
  for (const reason of refused.slice(0, MOST_REFUSED)) say(`  not stored: ${reason}`);
  if (refused.length > MOST_REFUSED) say(`  … and ${refused.length - MOST_REFUSED} more`);
}
