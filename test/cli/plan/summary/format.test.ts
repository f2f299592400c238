import { createColors } from "picocolors";
import * as assert from "uvu/assert";
import type { AttributeChange } from "../../../../cli/plan/summary/attributes.ts";
import { formatSummary } from "../../../../cli/plan/summary/format.ts";
import type { PlanSummary } from "../../../../cli/plan/summary/summary.ts";
import { suite } from "../../../suite.ts";

const test = suite("text of a plan");

const textOf = (summary: PlanSummary) => formatSummary(summary, createColors(false));

const attribute = (path: string, more: Partial<AttributeChange> = {}): AttributeChange => ({
  path,
  before: "1",
  after: "2",
  forcesReplacement: false,
  ...more,
});

const NONE: PlanSummary = {
  stacks: [],
  counts: { create: 0, update: 0, replace: 0, delete: 0, forget: 0, import: 0 },
  changes: false,
  idleCosts: [],
  interfaceEndpoints: { endpoints: 0, interfaces: 0 },
  notes: [],
};

test("adds up a month's costs, the largest first, where prices are known", () => {
  const text = textOf({
    ...NONE,
    idleCosts: [{ what: "KMS key", names: ["a"], amount: "1", billed: "by the month" }],
    monthlySum: {
      dollars: 1_234.5,
      parts: { "KMS key": 1, "SageMaker instances": 1_233.5 },
      without: ["campaigns"],
      read: "2026-11-26",
    },
  });
  assert.match(
    text,
    "  1 × KMS key, by the month\n  about $1,234.50 a month in all, by the list prices of 2026-11-26: SageMaker instances " +
      "$1,233.50, KMS key $1.00; without campaigns\n",
  );
});

test("prints a whole plan", () => {
  const text = textOf({
    ...NONE,
    stacks: [
      { stack: "storage", changes: [] },
      {
        stack: "search-gateway",
        changes: [
          { address: "aws_iam_role.a", action: "create", attributes: [] },
          { address: "aws_lambda_function.b", action: "update", attributes: [attribute("memory_size")] },
          {
            address: "aws_api_gateway_api_key.c",
            action: "replace",
            attributes: [attribute("name", { before: undefined, forcesReplacement: true })],
            risk: { kind: "key", effect: "callers need the new API key" },
          },
        ],
      },
    ],
    counts: { ...NONE.counts, create: 1, update: 1, replace: 1 },
    changes: true,
    idleCosts: [
      { what: "SageMaker instances", names: ["a", "b"], amount: "1 × ml.g5.xlarge", billed: "by the hour" },
      { what: "alarm", names: ["x", "y"], amount: "1", billed: "by the month" },
    ],
    interfaceEndpoints: { endpoints: 2, interfaces: 4 },
    notes: ["sparse_v3 has no revision"],
  });
  assert.is(
    text,
    `storage  no changes

search-gateway
  + aws_iam_role.a
  ~ aws_lambda_function.b
      memory_size: 1 → 2
  ± aws_api_gateway_api_key.c
      name: (none) → 2  forces replacement

Warnings
  aws_api_gateway_api_key.c is replaced: callers need the new API key

Costs while idle, once applied
  SageMaker instances, by the hour: a 1 × ml.g5.xlarge, b 1 × ml.g5.xlarge
  2 × alarm, by the month
  2 interface endpoints are billed as 4, one per zone

Notes
  sparse_v3 has no revision

Plan: 1 to create, 1 to change, 1 to replace.`,
  );
});

test("says that there is nothing to change", () => {
  assert.is(textOf(NONE), "Nothing to change.");
});

test("shows the first eight changed attributes of a resource and how many more there are", () => {
  const attributes = Array.from({ length: 11 }, (_, index) => attribute(`a${index}`));
  const stacks = [{ stack: "s", changes: [{ address: "x.y", action: "update" as const, attributes }] }];
  const lines = textOf({ ...NONE, stacks, changes: true }).split("\n");
  assert.is(lines.filter((line) => line.includes("→")).length, 8);
  assert.ok(lines.includes("      and 3 more"));
});

test("shows a ninth attribute instead of counting it", () => {
  const attributes = Array.from({ length: 9 }, (_, index) => attribute(`a${index}`));
  const stacks = [{ stack: "s", changes: [{ address: "x.y", action: "update" as const, attributes }] }];
  const lines = textOf({ ...NONE, stacks, changes: true }).split("\n");
  assert.is(lines.filter((line) => line.includes("→")).length, 9);
});

test.run();
