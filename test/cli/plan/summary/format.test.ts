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
  idleCostsBefore: [],
  notes: [],
  standing: [],
};

const KEY = { what: "KMS key", names: ["a"], amount: "1", billed: "by the month" } as const;
const instances = (amount: string) =>
  ({ what: "SageMaker instances", names: ["m"], amount, billed: "by the hour" }) as const;

for (const [what, idleCostsBefore, before, lines] of [
  [
    "of a first deployment",
    [],
    { dollars: 0, parts: {} },
    [
      "about $1,234.50 a month in all, by the list prices of 2026-11-26, without campaigns:",
      "SageMaker instances $1,233.50, by the hour: m 2 × ml.g5.xlarge",
      "1 × KMS key $1.00, by the month",
    ],
  ],
  [
    "before and after",
    [instances("1 × ml.g5.xlarge"), KEY, { ...KEY, what: "secret", names: ["b", "c"] }],
    { dollars: 618.55, parts: { "SageMaker instances": 616.75, "KMS key": 1, secret: 0.8 } },
    [
      "about $618.55 → $1,234.50 a month in all, by the list prices of 2026-11-26, without campaigns:",
      "SageMaker instances $616.75 → $1,233.50, by the hour: m 1 × ml.g5.xlarge → m 2 × ml.g5.xlarge",
      "1 × KMS key $1.00, by the month",
      "2 → 0 × secret $0.80 → $0.00, by the month",
    ],
  ],
] as const) {
  test(`adds up a month's costs with their parts, ${what}`, () => {
    const parts = { "KMS key": 1, "SageMaker instances": 1_233.5 };
    const text = textOf({
      ...NONE,
      idleCosts: [instances("2 × ml.g5.xlarge"), KEY].map((cost) => ({ ...cost, names: [...cost.names] })),
      idleCostsBefore: idleCostsBefore.map((cost) => ({ ...cost, names: [...cost.names] })),
      monthlySum: { dollars: 1_234.5, parts, byPage: [], without: ["campaigns"], read: "2026-11-26", before },
    });
    assert.is(text.split("\n\n")[0], ["Costs while idle, once applied", ...lines].join("\n  "));
  });
}

test("counts what a new stack creates, and folds the notes that stand into a line", () => {
  const changes = [..."aabcdefgh"].map((kind, at) => ({
    ...{ address: `aws_${kind}.r${at}`, action: "create" as const, attributes: [] },
  }));
  const text = textOf({
    ...NONE,
    stacks: [{ stack: "storage", changes, isNew: true }],
    counts: { ...NONE.counts, create: 9 },
    changes: true,
    notes: ["an index changes"],
    standing: ["the state is here, and secret", "the runtime: ends"],
  });
  assert.is(
    text,
    `storage  new: 9 to create (2 a, 1 b, 1 c, 1 d, 1 e, 1 f, 2 others); storage.txt of the full plans lists them

Notes
  an index changes
  As before, in notes.txt of the full plans: the state is here; the runtime

Plan: 9 to create.`,
  );
});

test("prints a whole plan", () => {
  const text = textOf({
    ...NONE,
    stacks: [
      { stack: "storage", changes: [], isNew: false },
      {
        stack: "search-gateway",
        isNew: false,
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
  amounts without prices, since AWS lists none for a local cloud, China and GovCloud:
  SageMaker instances, by the hour: a 1 × ml.g5.xlarge, b 1 × ml.g5.xlarge
  2 × alarm, by the month

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
  const stacks = [{ stack: "s", isNew: false, changes: [{ address: "x.y", action: "update" as const, attributes }] }];
  const lines = textOf({ ...NONE, stacks, changes: true }).split("\n");
  assert.is(lines.filter((line) => line.includes("→")).length, 8);
  assert.ok(lines.includes("      and 3 more"));
});

test("shows a ninth attribute instead of counting it", () => {
  const attributes = Array.from({ length: 9 }, (_, index) => attribute(`a${index}`));
  const stacks = [{ stack: "s", isNew: false, changes: [{ address: "x.y", action: "update" as const, attributes }] }];
  const lines = textOf({ ...NONE, stacks, changes: true }).split("\n");
  assert.is(lines.filter((line) => line.includes("→")).length, 9);
});

test.run();
