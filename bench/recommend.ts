import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetRecommendationsCommand } from "@aws-sdk/client-personalize-runtime";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { RecommendationSettings } from "../lib/recommendation/service/settings.ts";
import { createTables } from "../packages/local/dev/resources.ts";
import { openTrainedShop } from "../test/functions/recommendation-api/shop.ts";
import { startWorld, type World } from "../test/functions/recommendation-api/world.ts";
import { startDynamoDb } from "./dynamodb.ts";
import { type Benchmark, load, ms, type Row, times } from "./result.ts";
import { type Timing, takeTurns } from "./turns.ts";

/** Calls of each side. For the recorded figures use more: `CALLS=2000 make bench ARGS=recommend`. */
const CALLS = Number(process.env.CALLS ?? 400);
/** Upload requests of 500 records. For the recorded figures use more: `UPLOADS=200`. */
const UPLOADS = Number(process.env.UPLOADS ?? 20);
const RECORDS = 500;
const PARALLEL = 4;
const LIMIT = 10;

/** What an answer may take beyond the campaign's call, in milliseconds at p50. */
const BUDGET_MS = 5;

const TIMEOUTS = { campaign_ms: 10_000, store_ms: 10_000, realtime_ms: 10_000 };

/** Measures what the recommendation API adds to a Personalize call, and how fast it ingests, all on this machine. */
export const recommendBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const stored = await inWorld({}, (world) => ingest(world, "log-event, stored only (before the first training)"));
    const engine = await startDynamoDb();
    // The functions' clients read it; those of the world itself have an endpoint of their own.
    process.env.AWS_ENDPOINT_URL_DYNAMODB = engine.url;
    try {
      const [kept, passedOn] = await inWorld({ item_cache_ms: 10_000 }, async (world) => [
        await recommendFrom(world, engine.url),
        await ingest(world, "log-event, stored and passed on in real time"),
      ]);
      const read = await inWorld({ item_cache_ms: 0 }, (world) => recommendFrom(world, engine.url));
      return [
        comparison(kept, "item records kept for ten seconds, as deployed", BUDGET_MS),
        comparison(read, "item records read for each answer", undefined),
        stored,
        passedOn,
      ];
    } finally {
      delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
      await engine.stop();
    }
  },
};

async function inWorld<const T>(
  settings: Partial<RecommendationSettings>,
  measure: (world: World) => Promise<T>,
): Promise<T> {
  const world = await startWorld({ timeouts: TIMEOUTS, settings, asRoot: true });
  try {
    return await measure(world);
  } finally {
    await world.stop();
  }
}

/** Compares answers of the API, whose tables are in DynamoDB Local, with bare calls to the campaign. */
async function recommendFrom(world: World, dynamoUrl: string): Promise<Comparison> {
  const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient({ ...world.direct, endpoint: dynamoUrl }));
  await createTables(dynamo, world.names);
  const { campaigns } = await openTrainedShop({ ...world, dynamo });
  await world.restart();
  const userOf = (call: number) => `U${call % 50}`;
  const api = async (call: number) => {
    const body = { user_id: userOf(call), limit: LIMIT, filter_name: "", filter_value_dict: {} };
    const answer = await world.post("/recommend-items-to-user", body);
    if (answer.status !== 200 || answer.body.degraded) throw new Error(`recommend: ${answer.status} ${answer.text}`);
  };
  const campaignArn = campaigns.user_personalization;
  const bare = (call: number) =>
    world.harness.runtime.send(new GetRecommendationsCommand({ campaignArn, userId: userOf(call), numResults: LIMIT }));
  return takeTurns({ api, bare }, { calls: CALLS, parallel: PARALLEL });
}

type Comparison = Readonly<Record<"api" | "bare", Timing>>;

function comparison({ api, bare }: Comparison, how: string, budget: number | undefined): Row {
  const more = api.p50 - bare.p50;
  return {
    what: `recommend-items-to-user, compared with the bare Personalize call, ${PARALLEL} in parallel, ${how}`,
    budget: budget === undefined ? "none" : `≤ ${budget} ms more at p50`,
    reached: `${ms(more)} more at p50`,
    kept: budget === undefined ? undefined : more <= budget,
    note:
      `${times(api.p50 / bare.p50)} at p50, ${times(api.p99 / bare.p99)} at p99; API ${ms(api.p50)}, call ${ms(bare.p50)}. Tables in ` +
      `DynamoDB Local; API server and stand-ins in the same process; ${load()}`,
  };
}

async function ingest(world: World, what: string): Promise<Row> {
  const begun = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < UPLOADS) {
      const upload = next++;
      const events = Array.from({ length: RECORDS }, (_, index) => ({
        USER_ID: `U${(upload * RECORDS + index) % 200}`,
        ITEM_ID: `I${index % 100}`,
        EVENT_TYPE: "click",
        TIMESTAMP: 1_740_000_000 + upload,
      }));
      const answer = await world.post("/log-event", { events });
      if (answer.status !== 200 || answer.body.response.accepted !== RECORDS) {
        throw new Error(`log-event: ${answer.status} ${answer.text.slice(0, 500)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const seconds = (performance.now() - begun) / 1_000;
  return {
    what: `records a second of ${what}`,
    budget: "none",
    reached: Math.round((UPLOADS * RECORDS) / seconds).toLocaleString("en"),
    kept: undefined,
    note: `${UPLOADS} requests of ${RECORDS}, ${PARALLEL} in parallel; API, moto's Firehose and counter on the same machine`,
  };
}
