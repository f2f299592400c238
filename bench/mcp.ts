import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { MAX_ANSWER_TOKENS } from "../lib/core/mcp/answer.ts";
import { concurrently } from "../lib/core/resilience/concurrently.ts";
import { books } from "../local/demo-data/books.ts";
import { loadGatewayWithKeys, send } from "../test/fixtures/access-attempt.ts";
import { createIndexes, isAnswered, keysOf, messagesOf, problemOf, TEMPLATES } from "../test/fixtures/mcp-attempts.ts";
import { type Cluster, clusters, request } from "../test/fixtures/opensearch.ts";
import { type Benchmark, load, type Row } from "./result.ts";

const CALLS = 20_000;
const SEED = 20_261_127;

/** Answers of which the tokens are counted. */
const ANSWERS = 200;

/** Ten whole books with a facet, many short entries, and documents that are too long to be shown whole. */
const TEMPLATES_OF_ANSWERS = [
  { size: 10, _source: { excludes: ["chapters"] }, aggs: { genres: { terms: { field: "categories.keyword" } } } },
  { size: 100, _source: ["title", "author"] },
  { size: 20 },
].map((native, at) => ({
  ...{ name: `books-${at}`, params: {}, parameters: [] },
  search_request_template: {
    ...native,
    query: { multi_match: { query: "[search_query]", fields: ["title", "description"] } },
  },
}));

/** Calls tools in every way that could leave the scope of a key, and measures how long answers are. */
export const mcpBenchmark: Benchmark = {
  name: "mcp",
  async run(): Promise<Row[]> {
    const [cluster] = await clusters();
    if (!cluster) throw new Error("there is no cluster");
    const indexes = await createIndexes(cluster);
    const gateway = await loadGatewayWithKeys(cluster, keysOf(indexes), { templates: TEMPLATES });
    const problems: string[] = [];
    let answered = 0;
    await concurrently(fc.sample(messagesOf(indexes), { numRuns: CALLS, seed: SEED }), 8, async (attempt) => {
      const answer = await send(gateway, attempt);
      const problem = problemOf(indexes, attempt, answer);
      if (problem !== undefined) problems.push(`${problem}: ${JSON.stringify(attempt)}`);
      if (isAnswered(answer.text)) answered += 1;
    });
    for (const problem of problems.slice(0, 20)) console.error(problem);
    const sizes = await answerSizes(cluster, `${indexes.prefix}-books`);
    await request(cluster, "DELETE", `/${indexes.prefix}-books`);
    await indexes.remove();
    return [
      {
        what: `${CALLS.toLocaleString("en")} generated calls of tools: ways round the scope of a key`,
        budget: "0",
        reached: String(problems.length),
        kept: problems.length === 0,
        note: `${answered.toLocaleString("en")} found documents; ${load()}`,
      },
      sizes,
    ];
  },
};

/** Counts the tokens of answers as a model's own tokenizer does. */
async function answerSizes(cluster: Cluster, index: string): Promise<Row> {
  const catalogue = books(2_000);
  const lines = catalogue.flatMap((book, at) => {
    const chapters = catalogue.slice(at, at + 12).map(({ description }) => description);
    return ['{"index":{}}', JSON.stringify({ ...book, chapters })];
  });
  await request(cluster, "POST", `/${index}/_bulk?refresh=true`, `${lines.join("\n")}\n`);
  const templates = TEMPLATES_OF_ANSWERS.map(({ name }) => name);
  const key = { name: "agent", endpoints: ["search" as const], indexes: [index], templates };
  const gateway = await loadGatewayWithKeys(cluster, [key], { templates: TEMPLATES_OF_ANSWERS });
  const calls = fc.record({
    name: fc.constantFrom(...templates).map((name) => `search_${name}`),
    arguments: fc.record(
      { query: fc.constantFrom(...catalogue.map(({ title }) => title)), cursor: fc.constant("5") },
      { requiredKeys: ["query"] },
    ),
  });
  const texts: string[] = [];
  for (const params of fc.sample(calls, { numRuns: ANSWERS, seed: SEED })) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const { text } = await send(gateway, { key: "agent", method: "POST", path: "/mcp", body });
    if (!isAnswered(text)) throw new Error(`${body}: ${text}`);
    texts.push(JSON.parse(text).result.content[0].text);
  }
  const tokens = texts.map((text) => countTokens(text)).toSorted((a, b) => a - b);
  const bytes = texts.map((text) => Buffer.byteLength(text)).toSorted((a, b) => a - b);
  const longest = tokens.at(-1) ?? Number.NaN;
  const shown = (value = Number.NaN) => value.toLocaleString("en");
  return {
    what: `${ANSWERS} answers of three tools: most tokens (o200k_base)`,
    budget: `≤ ${shown(MAX_ANSWER_TOKENS)}`,
    reached: shown(longest),
    kept: longest <= MAX_ANSWER_TOKENS,
    note: `${shown(tokens[ANSWERS * 0.5])} at p50, ${shown(tokens[ANSWERS * 0.95])} at p95; most bytes ${shown(bytes.at(-1))}; ${load()}`,
  };
}
