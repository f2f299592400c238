import { concurrently } from "../../../lib/platform/resilience/concurrently.ts";
import { waitFor } from "../../../packages/processes/wait.ts";
import { API_KEY, CAMPAIGN_ARN, startGateway } from "../../fixtures/gateway.ts";
import { type Cluster, uniqueIndex } from "../../fixtures/opensearch.ts";
import { bearer, TOKENS } from "../../fixtures/tokens.ts";
import { nameOf } from "../array.ts";
import { removeAll } from "../cleanup.ts";
import { encoded } from "../encoding.ts";
import { MODELS, type PairModels } from "../models.ts";
import { type SearchRow, searchDimensions } from "./dimensions.ts";
import { wholeFilter } from "./filter.ts";
import { type Answered, askNative, type Call, pageIn } from "./native.ts";
import { vectorsOf } from "./oracle.ts";
import { RANKING } from "./personal.ts";
import { judge, nativeOf, type Outcome } from "./play.ts";
import { caseSettings, requestOf, templatesOf } from "./request.ts";
import { rulesOf, textOf } from "./rules.ts";
import { createWorld, worldOf } from "./world.ts";

const KEYS = { printed: API_KEY, limited: `${API_KEY}-limited`, "template-only": `${API_KEY}-templates` } as const;

/** Cases at a time. */
const PARALLEL = 8;

/** One case and what it came to. */
export interface SearchResult extends Outcome {
  name: string;
}

interface SearchRun {
  cluster: Cluster;
  models: PairModels;
  rows: readonly SearchRow[];
}

/** Whether a search went without rules, synonyms or suggestions because they came late, as on a busy machine. */
const isUnread = ({ text }: Answered): boolean =>
  /"stage":"(rules|synonyms|suggestions)","target":"\w+","reason":"[^"]*(not be|cannot be) read/.test(text);

const rawCalls =
  (call: Call): Call =>
  (method, path, body) =>
    call(method, `/raw-backend${path}`, body);

/** Plays cases through one gateway. */
export async function playSearches({ cluster, models, rows }: SearchRun): Promise<SearchResult[]> {
  const own = uniqueIndex("pairs").slice(0, 14);
  const dimensions = searchDimensions(cluster.version);
  const cases = rows.map((row, at) => {
    // No name of one case begins like those of another.
    const start = `${own}x${at}z`;
    const world = worldOf(start, row);
    const literal = vectorsOf(row, models, {
      text: textOf(row),
      model: world.models[0] ?? "large",
      version: cluster.version,
      isSent: true,
    });
    return { start, row, world, literal, settings: caseSettings(start, row, world, literal) };
  });
  const all = ["search", "hybrid-search", "suggest"] as const;
  const of = (key: SearchRow["key"]) => cases.filter(({ row }) => row.key === key);
  const grants = (key: SearchRow["key"]) => of(key).flatMap(({ world }) => world.grants);
  models.bucket.rules = cases.flatMap(({ start, row }) => rulesOf(start, row));
  const gateway = await startGateway({
    node: cluster.url,
    moreKeys: [KEYS.limited, KEYS["template-only"]],
    env: { API_KEYS: "key-1=printed,key-2=limited,key-3=template-only", BUCKET: "pairs" },
    settings: {
      models: MODELS,
      indexes: cases.flatMap(({ settings }) => settings.indexes),
      templates: cases.flatMap(({ settings }) => settings.templates),
      has_rules: true,
      experiments: cases.flatMap(({ settings }) => settings.experiments),
      personalized_ranking: { campaign_arn: CAMPAIGN_ARN, ...RANKING, timeout_ms: 5_000, item_id_field: "_id" },
      keys: [
        { name: "printed", endpoints: [...all, "raw-backend"], raw_backend: "all", tokens: TOKENS },
        { name: "limited", endpoints: [...all, "raw-backend"], indexes: grants("limited"), tokens: TOKENS },
        {
          name: "template-only",
          endpoints: [...all],
          tokens: TOKENS,
          indexes: grants("template-only"),
          templates: of("template-only").flatMap(({ start }) => templatesOf(start)),
        },
      ],
    },
  });
  const results: SearchResult[] = [];
  // Reads the synonyms and rules: a search waits a second for them, which may be too short on a busy machine.
  await gateway.probe();
  try {
    await concurrently(cases, PARALLEL, async ({ start, row, world, literal }) => {
      const name = nameOf(dimensions, row);
      try {
        await createWorld(cluster, start, world, models);
        const call: Call = async (method, path, body) => {
          const content = body === undefined ? undefined : encoded(body, row.encoding);
          const typed = content && { "content-type": "application/json", ...content.headers };
          const token = row.filter === "token" ? await bearer({ filter: wholeFilter(row) }) : {};
          const headers = { "x-api-key": KEYS[row.key], ...token, ...typed };
          return gateway.send(method, path, { headers, ...(content && { body: content.body }) });
        };
        const { path, body } = requestOf(start, row, world, literal);
        const answer =
          row.way === "raw"
            ? await askNative(rawCalls(call), row, pageIn(row, nativeOf(cluster, { row, world }, models)))
            : await waitFor(() => call("POST", path, body).then((one) => !isUnread(one) && one), {
                what: "rules, synonyms and suggestions",
                timeoutMs: 10_000,
              });
        results.push({ name, ...(await judge(cluster, { start, row, world }, models, answer)) });
      } catch (error) {
        const got = error instanceof Error ? error.message : error;
        results.push({
          name,
          findings: [{ what: "the case itself", expected: "runs", got }],
          allowed: [],
          isAnswered: false,
        });
      }
    });
  } finally {
    await gateway.stop();
    await removeAll(cluster, own);
  }
  return results;
}
