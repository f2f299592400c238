import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { monthlySum, type PriceReads, productsOf } from "../../../cli/plan/prices.ts";
import { monthlyUsage } from "../../../cli/plan/summary/usage.ts";
import { suite } from "../../suite.ts";

const test = suite("plan: prices");

const folder = mkdtempSync(join(tmpdir(), "prices-"));
test.after(() => rmSync(folder, { recursive: true }));

const resource = (type: string, values: Record<string, unknown> = {}) =>
  ({ address: `${type}.x`, mode: "managed", type, name: "x", values }) as const;
const plan = (...resources: ReturnType<typeof resource>[]) => [{ planned_values: { root_module: { resources } } }];

const PLAN = plan(
  resource("aws_sagemaker_endpoint_configuration", {
    production_variants: [{ initial_instance_count: 2, instance_type: "ml.c6i.2xlarge" }],
  }),
  resource("aws_lambda_function", { function_name: "shop-api-router", memory_size: 2_048 }),
  resource("aws_lambda_provisioned_concurrency_config", {
    function_name: "shop-api-router",
    provisioned_concurrent_executions: 1,
  }),
  resource("aws_vpc_endpoint", { vpc_endpoint_type: "Interface", subnet_ids: ["a", "b"] }),
  resource("aws_vpc_endpoint", { vpc_endpoint_type: "Gateway", route_table_ids: ["a"] }),
  resource("aws_kms_key"),
  resource("aws_cloudwatch_metric_alarm", {
    metric_query: [{ metric: [{}] }, { metric: [{}] }, { expression: "a/b" }],
  }),
  resource("aws_dynamodb_table"),
);

const BEFORE = [{ prior_state: { values: { root_module: { resources: [resource("aws_kms_key")] } } } }];
const USAGES = { before: monthlyUsage(BEFORE, "before"), after: monthlyUsage(PLAN, "after") };

test("measures a month of everything that is there, an alarm by its metrics", () => {
  const { usage, without } = monthlyUsage(PLAN, "after");
  assert.equal(
    usage.map(({ usage: type, amount }) => [type, amount]),
    [
      ["Host:ml.c6i.2xlarge", 1_460],
      ["Lambda-Provisioned-Concurrency-ARM", 730 * 3_600 * 2],
      ["VpcEndpoint-Hours", 1_460],
      ["KMS-Keys", 1],
      ["CW:AlarmMonitorUsage", 2],
    ],
  );
  assert.equal(without, ["stored gigabytes"]);
});

const LIST: Record<string, [usageType: string, dollars: number][]> = {
  "Host:ml.c6i.2xlarge": [
    ["EUW1-Host:ml.c6i.2xlarge", 0.5],
    ["EUW1-Async-Host:ml.c6i.2xlarge", 9],
  ],
  "VpcEndpoint-Hours": [["EUW1-VpcEndpoint-Hours", 0.01]],
  "KMS-Keys": [["eu-west-1-KMS-Keys", 1]],
  // Two prices for the same: no price.
  "CW:AlarmMonitorUsage": [
    ["EU-CW:AlarmMonitorUsage", 0.1],
    ["EU2-CW:AlarmMonitorUsage", 0.2],
  ],
};

function list() {
  const asked: string[] = [];
  const reads: PriceReads = async (_service, usage) => {
    asked.push(usage);
    return (LIST[usage] ?? []).map(([usageType, dollars]) => ({ usageType, dollars }));
  };
  return { asked, reads };
}

test("adds up what has a price, and says what has none", async () => {
  const { reads } = list();
  const sum = await monthlySum(USAGES, {
    reads,
    file: join(folder, "a.json"),
    now: new Date("2026-11-26"),
  });
  assert.equal(sum, {
    dollars: 763.3203504,
    parts: {
      ...{ "SageMaker instances": 730, "provisioned instances": 17.5203504, "interface endpoint": 14.6 },
      ...{ "KMS key": 1, alarm: 0.2 },
    },
    before: { dollars: 1, parts: { "KMS key": 1 } },
    without: ["stored gigabytes"],
    byPage: ["provisioned instances", "alarm"],
    read: "2026-11-26",
  });
});

test("keeps prices with their day, asks again after a month, and shows old ones when it may not ask", async () => {
  const file = join(folder, "b.json");
  const key = plan(resource("aws_kms_key"));
  const usages = { before: monthlyUsage(key, "before"), after: monthlyUsage(key, "after") };
  const { asked, reads } = list();
  const on = (day: string, by: PriceReads = reads) => monthlySum(usages, { reads: by, file, now: new Date(day) });
  await on("2026-11-01");
  assert.is((await on("2026-11-30"))?.read, "2026-11-01");
  assert.equal(asked, ["KMS-Keys"]);
  const denied: PriceReads = async () => {
    throw new Error("AccessDenied");
  };
  assert.is((await on("2026-12-24", denied))?.read, "2026-11-01");
  assert.is((await on("2026-12-24"))?.read, "2026-12-24");
  assert.match(readFileSync(file, "utf8"), '"read": "2026-12-24"');
  writeFileSync(file, "{");
  assert.equal((await on("2026-12-25", denied))?.byPage, ["KMS key"]);
});

test("reads the answers of the Price List API: the first tier in dollars", () => {
  const product = (usagetype: string, ...tiers: [begin: string, dollars: string][]) =>
    JSON.stringify({
      product: { productFamily: "x", attributes: { usagetype, regionCode: "eu-west-1" } },
      serviceCode: "x",
      terms: {
        OnDemand: {
          "A.B": {
            priceDimensions: Object.fromEntries(
              tiers.map(([beginRange, USD], n) => [`A.B.${n}`, { unit: "Hrs", beginRange, pricePerUnit: { USD } }]),
            ),
          },
        },
      },
    });
  assert.equal(
    productsOf([product("a", ["1000", "0.05"], ["0", "0.1"]), product("b"), "not JSON", JSON.stringify({ terms: {} })]),
    [{ usageType: "a", dollars: 0.1 }],
  );
});

test.run();
