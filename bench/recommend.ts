import { GetRecommendationsCommand } from "@aws-sdk/client-personalize-runtime";
import { openTrainedShop } from "../test/functions/recommendation-api/shop.ts";
import { startWorld, type World } from "../test/functions/recommendation-api/world.ts";
import { type Benchmark, ms, type Row, times } from "./result.ts";
import { sideBySide } from "./side-by-side.ts";

/** Calls of each side. For the recorded figures use more: `CALLS=2000 make bench ARGS=recommend`. */
const CALLS = Number(process.env.CALLS ?? 400);
/** Upload requests of 500 records. For the recorded figures use more: `UPLOADS=200`. */
const UPLOADS = Number(process.env.UPLOADS ?? 20);
const RECORDS = 500;
const PARALLEL = 4;
const LIMIT = 10;

/** Measures what the recommendation API adds to a Personalize call, and how fast it ingests, all on this machine. */
export const recommendBenchmark: Benchmark = {
  name: "recommend",
  async run(): Promise<Row[]> {
    const world = await startWorld({ timeouts: { campaign_ms: 10_000, store_ms: 10_000, realtime_ms: 10_000 } });
    try {
      const stored = await ingest(world, "log-event, stored only (before the first training)");
      const shop = await openTrainedShop(world);
      await world.restart();
      const compared = await recommend(world, shop.campaigns.user_personalization);
      return [compared, stored, await ingest(world, "log-event, stored and passed on in real time")];
    } finally {
      await world.stop();
    }
  },
};

async function recommend(world: World, campaignArn: string): Promise<Row> {
  const userOf = (call: number) => `U${call % 50}`;
  const ours = async (call: number) => {
    const body = { user_id: userOf(call), limit: LIMIT, filter_name: "", filter_value_dict: {} };
    const answer = await world.post("/recommend-items-to-user", body);
    if (answer.status !== 200 || answer.body.degraded) throw new Error(`recommend: ${answer.status} ${answer.text}`);
  };
  const bare = (call: number) =>
    world.harness.runtime.send(new GetRecommendationsCommand({ campaignArn, userId: userOf(call), numResults: LIMIT }));
  const { ours: api, theirs, ratio } = await sideBySide(ours, bare, { calls: CALLS, parallel: PARALLEL });
  return {
    what: `recommend-items-to-user over the bare Personalize call, ${PARALLEL} in parallel`,
    budget: "none",
    reached: `${ms(api.p50 - theirs.p50)} more at p50`,
    kept: undefined,
    note:
      `${times(ratio.p50)} at p50, ${times(ratio.p99)} at p99; API ${ms(api.p50)}, call ${ms(theirs.p50)}. ` +
      "An answer reads the records of its items from moto",
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
