import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { ProxyHandler } from "../lib/core/http/event.ts";
import { MAX_ANSWER_TOKENS } from "../lib/core/mcp/answer.ts";
import { concurrently } from "../lib/core/resilience/concurrently.ts";
import { books } from "../local/demo-data/books.ts";
import { type Attempt, loadGatewayWithKeys, send } from "../test/fixtures/access-attempt.ts";
import { createIndexes, keysOf, messagesOf, problemOf, TEMPLATES } from "../test/fixtures/mcp-attempts.ts";
import { isAnswered } from "../test/fixtures/mcp-messages.ts";
import {
  createPlacements,
  loadRecommendationWithKeys,
  PLACEMENT_KEYS,
  placementMessages,
  placementProblem,
} from "../test/fixtures/mcp-placement-attempts.ts";
import { type Cluster, clusters, request } from "../test/fixtures/opensearch.ts";
import { startWorld, type World } from "../test/functions/recommendation-api/world.ts";
import { type Benchmark, load, type Row } from "./result.ts";

const CALLS = 20_000;
const SEED = 20_261_127;

/** Answers of each API of which the tokens are counted. */
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

/** Placements of a hundred items: whole ones, and their titles alone. */
const PLACEMENTS_OF_ANSWERS = [{}, { fields: ["TITLE"] }].map((shown, at) => ({
  ...{ name: `books-${at}`, limit: 100, fallback: [{ list: "popular" as const }] },
  ...shown,
}));

/** Calls tools in every way that could leave the scope of a key, and measures how long answers are. */
export const mcpBenchmark: Benchmark = {
  name: "mcp",
  async run(): Promise<Row[]> {
    const [cluster] = await clusters();
    if (!cluster) throw new Error("there is no cluster");
    const indexes = await createIndexes(cluster);
    try {
      const gateway = await loadGatewayWithKeys(cluster, keysOf(indexes), { templates: TEMPLATES });
      const ofTemplates = await play("templates", gateway, messagesOf(indexes), (attempt, answer) =>
        problemOf(indexes, attempt, answer),
      );
      const ofPlacements = await inWorld(async (world) => {
        const canaries = await createPlacements(world);
        const service = await loadRecommendationWithKeys(world, PLACEMENT_KEYS);
        return play("placements", service, placementMessages(), (attempt, answer) =>
          placementProblem(canaries, attempt, answer),
        );
      });
      const texts = [
        ...(await templateAnswers(cluster, `${indexes.prefix}-books`)),
        ...(await inWorld(placementAnswers)),
      ];
      return [ofTemplates, ofPlacements, sizesOf(texts)];
    } finally {
      await request(cluster, "DELETE", `/${indexes.prefix}-books`);
      await indexes.remove();
    }
  },
};

async function inWorld<T>(use: (world: World) => Promise<T>): Promise<T> {
  const world = await startWorld({ settings: { item_cache_ms: 60_000 }, asRoot: true });
  try {
    return await use(world);
  } finally {
    await world.stop();
  }
}

/** Plays generated messages, and counts the answers with a problem. */
async function play(
  of: string,
  handler: ProxyHandler,
  messages: fc.Arbitrary<Attempt>,
  problemIn: (attempt: Attempt, answer: Awaited<ReturnType<typeof send>>) => string | undefined,
): Promise<Row> {
  const problems: string[] = [];
  let answered = 0;
  await concurrently(fc.sample(messages, { numRuns: CALLS, seed: SEED }), 8, async (attempt) => {
    const answer = await send(handler, attempt);
    const problem = problemIn(attempt, answer);
    if (problem !== undefined) problems.push(`${problem}: ${JSON.stringify(attempt)}`);
    if (isAnswered(answer.text)) answered += 1;
  });
  for (const problem of problems.slice(0, 20)) console.error(problem);
  return {
    what: `${CALLS.toLocaleString("en")} generated calls of tools of ${of}: ways round the scope of a key`,
    budget: "0",
    reached: String(problems.length),
    kept: problems.length === 0,
    note: `${answered.toLocaleString("en")} found something; ${load()}`,
  };
}

/** Returns answers of tools of templates. */
async function templateAnswers(cluster: Cluster, index: string): Promise<string[]> {
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
  return answersOf(gateway, calls);
}

/** Returns answers of tools of placements. */
async function placementAnswers(world: World): Promise<string[]> {
  const items = books(300).map(({ title, description, categories }, at) => ({
    ...{ ITEM_ID: `B${at}`, TITLE: `${title}: ${description}`, CATEGORIES: categories.join("|"), PRICE: at },
  }));
  const { status, text } = await world.post("/update-items", { items });
  if (status !== 200) throw new Error(`the items could not be stored: ${text}`);
  const ids = items.map(({ ITEM_ID }) => ITEM_ID);
  await world.putPopularItems(ids);
  await world.putPlacements({ placements: PLACEMENTS_OF_ANSWERS });
  const placements = PLACEMENTS_OF_ANSWERS.map(({ name }) => name);
  const service = await loadRecommendationWithKeys(world, [{ name: "agent", endpoints: ["recommend"], placements }]);
  const calls = fc.record({
    name: fc.constantFrom(...placements).map((name) => `recommend_${name}`),
    arguments: fc.record(
      { exclude_item_ids: fc.subarray(ids, { maxLength: 100 }), cursor: fc.constant("5") },
      { requiredKeys: [] },
    ),
  });
  return answersOf(service, calls);
}

async function answersOf(handler: ProxyHandler, calls: fc.Arbitrary<object>): Promise<string[]> {
  const texts: string[] = [];
  for (const params of fc.sample(calls, { numRuns: ANSWERS, seed: SEED })) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const { text } = await send(handler, { key: "agent", method: "POST", path: "/mcp", body });
    if (!isAnswered(text)) throw new Error(`${body}: ${text}`);
    texts.push(JSON.parse(text).result.content[0].text);
  }
  return texts;
}

/** Counts the tokens of answers as a model's own tokenizer does. */
function sizesOf(texts: readonly string[]): Row {
  const tokens = texts.map((text) => countTokens(text)).toSorted((a, b) => a - b);
  const bytes = texts.map((text) => Buffer.byteLength(text)).toSorted((a, b) => a - b);
  const longest = tokens.at(-1) ?? Number.NaN;
  const shown = (value = Number.NaN) => value.toLocaleString("en");
  const at = (share: number) => shown(tokens[Math.floor(texts.length * share)]);
  return {
    what: `${ANSWERS} answers of three templates and ${ANSWERS} of two placements: most tokens (o200k_base)`,
    budget: `≤ ${shown(MAX_ANSWER_TOKENS)}`,
    reached: shown(longest),
    kept: longest <= MAX_ANSWER_TOKENS,
    note: `${at(0.5)} at p50, ${at(0.95)} at p95; most bytes ${shown(bytes.at(-1))}; ${load()}`,
  };
}
