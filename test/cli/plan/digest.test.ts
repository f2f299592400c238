import * as assert from "uvu/assert";
import { planDigest } from "../../../cli/plan/digest.ts";
import type { ResourceChange } from "../../../cli/plan/summary/plan-json.ts";
import { configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("digest of a plan");

const config = configuration("minimal");
const change = (address: string, actions: string[], after: unknown, before: unknown = null): ResourceChange => {
  const [type = "", name = ""] = address.split(".");
  return { address, mode: "managed", type, name, change: { actions, before, after, after_unknown: {} } };
};
const CHANGES = [
  change("aws_sqs_queue.a", ["no-op"], { name: "a", arn: "1" }, { name: "a", arn: "1" }),
  change("aws_sqs_queue.b", ["update"], { name: "b", delay: 1 }, { name: "b", delay: 0 }),
  change("aws_sns_topic.c", ["create"], { name: "c" }),
];
const digestOf = (changes: ResourceChange[], more: { functions?: object; files?: object; outputs?: string[] } = {}) => {
  const plan = {
    resource_changes: changes,
    output_changes: Object.fromEntries((more.outputs ?? []).map((name) => [name, { actions: ["update"] }])),
  };
  const stack = { name: "storage" as const, directory: "/one" };
  return planDigest(
    {
      config: { ...config, files: { ...config.files, ...more.files } },
      prepared: {
        discovery: { account: "123456789012", region: "eu-west-1" } as never,
        functions: { etl: "hash", ...more.functions },
      },
    },
    { stacks: [{ stack, file: "", changes: true, plan }] },
  );
};
const digest = digestOf(CHANGES);

test("is the same for the same changes in another order, and whatever does not change", () => {
  assert.match(digest, /^[0-9a-f]{64}$/);
  const [a, b, c] = structuredClone(CHANGES) as [ResourceChange, ResourceChange, ResourceChange];
  b.change = { ...b.change, after: { delay: 1, name: "b" } };
  a.change = { ...a.change, before: { arn: "2" }, after: { arn: "2" } };
  assert.is(digestOf([c, b, a]), digest);
});

const DIFFERENT: Record<string, string> = {
  "another value": digestOf([...CHANGES.slice(0, 1), change("aws_sqs_queue.b", ["update"], { name: "b", delay: 2 })]),
  "another value before": digestOf([
    ...CHANGES.slice(0, 1),
    change("aws_sqs_queue.b", ["update"], { name: "b", delay: 1 }, { name: "b", delay: 5 }),
    ...CHANGES.slice(2),
  ]),
  "one change more": digestOf([...CHANGES, change("aws_sqs_queue.d", ["delete"], null, { name: "d" })]),
  "one change less": digestOf(CHANGES.slice(0, 2)),
  "an output": digestOf(CHANGES, { outputs: ["bucket"] }),
  "the code of a function": digestOf(CHANGES, { functions: { etl: "other" } }),
  "a configuration file": digestOf(CHANGES, { files: { "api.yaml": "{}" } }),
};

for (const [what, other] of Object.entries(DIFFERENT)) {
  test(`differs with ${what}`, () => assert.is.not(other, digest));
}

test.run();
