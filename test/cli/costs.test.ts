import * as assert from "uvu/assert";
import { monthUnder } from "../../cli/costs/month.ts";
import { monthlySum } from "../../cli/plan/prices.ts";
import { UNPUBLISHED } from "../../cli/plan/summary/usage.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance costs");

const CONF = loadConfiguration(`${ROOT}/conf.local`);
const { recommendation } = CONF;
if (!recommendation) throw new Error("conf.local has no recommendation service");

const campaign = (kind: string) => ({
  input: JSON.stringify({ kind: "campaign", name: `demo-${kind}`, min_provisioned_tps: 1 }),
});
const STACKS = [
  {
    aws_kms_key: { key: {} },
    aws_cloudwatch_dashboard: { board: {} },
    aws_lambda_invocation: { a: campaign("user-personalization"), b: campaign("similar-items") },
  },
];

/**
 * 1,000,000 searches, 2,000,000 documents and 100,000 users, computed by hand with the prices of us-east-1: 1,000,000 lists,
 * 2,000,000 events and 4,000 writes of 500 documents are 4,004,000 requests. Personalization is by a -v2 recipe, similar
 * items by one of the first version, so each campaign has half of the lists. Events of a year are 24,333,333. Four trainings.
 */
const BY_HAND: Readonly<Record<string, [amount: number, dollars: number]>> = {
  "KMS key": [1, 1],
  dashboard: [1, 3],
  // 730 hours at 1 TPS; 500,000 lists are 139 TPS-hours, below that.
  campaigns: [730, 146],
  "requests of API Gateway": [4_004_000, 14.01],
  "calls of functions": [4_004_000, 0.8],
  // (4,000,000 × 50 ms + 4,000 × 2 s) × 1,769 / 1,024.
  "gigabyte-seconds of functions": [359_328, 4.79],
  "gigabytes of logs": [11.46, 5.73],
  "gigabytes of Firehose": [19.07, 0.55],
  traces: [200_200, 1],
  metrics: [50, 15],
  "gigabytes to the internet": [19.07, 1.72],
  "training of the built-in engine, gigabyte-seconds": [414.6, 0.01],
  // 4 × 100,000 users, and each event.
  "training of the built-in engine, write units": [2_400_000, 1.5],
  "imports of Personalize": [18.95, 0.95],
  "requests of campaigns": [500_000, 75],
  // 4 × 2 hours at $0.24, and 4 × 24,333,333 interactions at $0.002 for 1,000.
  "trainings of Personalize": [97_333_341.33, 196.59],
};

const LOAD = { searches: 1_000_000, documents: 2_000_000, users: 100_000 };
const { user_personalization, similar_items } = recommendation.solution.recipes;
const configured = (recipes: object) => ({
  recommendation: {
    ...recommendation,
    personalize: { ...recommendation.personalize, log_lookback_days: 365 },
    solution: { ...recommendation.solution, recipes } as typeof recommendation.solution,
  },
});
const BOTH = configured({ user_personalization: { ...user_personalization, parameters: [] }, similar_items });

const sumOf = (after: ReturnType<typeof monthUnder>, before: ReturnType<typeof monthUnder>) =>
  monthlySum(
    { after, before },
    {
      reads: () => Promise.reject(new Error("denied")),
      file: `${scratchFolder(TEST_OUTPUT, "costs")}/prices.json`,
      now: new Date("2026-11-29"),
    },
  );

const near = (a: number, b: number) => Math.abs(a - b) <= Math.max(0.006, b / 1_000);

test("computes a month as by hand, and what it costs without campaigns", async () => {
  const month = monthUnder(BOTH, STACKS, LOAD);
  const without = monthUnder(configured({}), [{ aws_kms_key: { key: {} } }], LOAD);
  const sum = await sumOf(month, without);
  assert.ok(sum);
  const amounts = new Map<string, number>();
  for (const { what, amount } of month.usage) amounts.set(what, (amounts.get(what) ?? 0) + amount);
  assert.equal([...amounts.keys()].sort(), Object.keys(BY_HAND).sort());
  const wrong = Object.entries(BY_HAND).flatMap(([what, [amount, dollars]]) => {
    const found = [amounts.get(what) ?? 0, sum.parts[what] ?? 0] as const;
    return near(found[0], amount) && near(found[1], dollars) ? [] : [{ what, found, expected: [amount, dollars] }];
  });
  assert.equal(wrong, []);
  const total = Object.values(BY_HAND).reduce((all, [, dollars]) => all + dollars, 0);
  assert.ok(near(sum.dollars, total), `${sum.dollars}, by hand ${total}`);
  assert.equal(sum.without, [UNPUBLISHED]);
  // Less the dashboard, and the four lines of Personalize.
  assert.ok(near(sum.before.dollars, total - 3 - 146 - 0.95 - 75 - 196.59), String(sum.before.dollars));
});

test("prints both months of a change with public prices, and refuses what is no number", async () => {
  const env = { AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
  const { code, out, err } = await runHere(
    ["costs", "--conf", "conf.local", "--before", "conf.local", "--users", "100k", "--json"],
    env,
  );
  assert.is(code, 0, err);
  const { parts, dollars, before } = JSON.parse(out);
  assert.is(parts.find(({ what }: { what: string }) => what === "requests of API Gateway")?.before.amount, 3_000_000);
  assert.ok(dollars > 0 && dollars === before, `${dollars} ${before}`);
  assert.is((await runHere(["costs", "--conf", "conf.local", "--users", "many"], env)).code, 2);
});

test.run();
