// Settings of a platform team for all resources: boundary, path, key, log retention, topics, thresholds.
import * as assert from "uvu/assert";
import { ALARMS } from "../../lib/settings/alarms.ts";
import { stackNames } from "../../stacks/input.ts";
import { type Change, configuration, recommendation } from "../fixtures/configurations/configurations.ts";
import { changed, fullExample, valid } from "../lib/settings/example.ts";
import { suite } from "../suite.ts";
import { example, type Stack, synth } from "./support.ts";

const test = suite("stacks: options of platform teams");

const KEY = "arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f";
// State may be in a bucket of another account, with its role and key: not resources of the project.
const full = valid(changed(fullExample(), "project.yaml", ["terraform", "state"], { type: "local" }));
const stacks: readonly Stack[] = stackNames(full).map((name) => synth(name, { config: full }));

const all = (type: string) =>
  stacks.flatMap((stack) => stack.ids(type).map((id) => stack.resource<Record<string, unknown>>(type, id)));

test("sets the boundary and the path of every role, and includes the path in every role's ARN", () => {
  const roles = all("aws_iam_role");
  assert.ok(roles.length > 10);
  for (const { name, path, permissions_boundary } of roles) {
    assert.equal(
      [path, permissions_boundary],
      ["/teams/search/", "arn:aws:iam::123456789012:policy/developers"],
      `${name}`,
    );
  }
  const arns = stacks.flatMap(({ text }) => [...text.matchAll(/:role(\/[\w/-]+)/g)].map(([, path]) => path));
  assert.ok(arns.length > 0);
  for (const arn of arns) assert.match(arn ?? "", /^\/(teams\/search|aws-service-role)\//);
});

test("creates no key, and no permission for another key, with the user's own key", () => {
  assert.equal([all("aws_kms_key"), all("aws_kms_alias")], [[], []]);
  const keys = stacks.flatMap(({ text }) => [...text.matchAll(/arn:aws:kms:[^"\\]+/g)].map(([arn]) => arn));
  // Topics of the account's owner may be encrypted with any key.
  assert.equal([...new Set(keys)].sort(), ["arn:aws:kms:eu-west-1:123456789012:key/*", KEY]);
  const any = all("aws_iam_role_policy").filter(({ policy }) => String(policy).includes(":key/*"));
  for (const { policy } of any) assert.match(String(policy), '"kms:ViaService":"sns.eu-west-1.amazonaws.com"');
  for (const { text } of stacks) assert.not.match(text, "kms:ResourceAliases");
  for (const { kms_key_id } of all("aws_cloudwatch_log_group")) assert.is(kms_key_id, KEY);
});

test("keeps logs for log_retention_days, and api-router's log for at most 3 days", () => {
  const days = (change: Change[], id: string) =>
    example("search-gateway", "all-options", change).resource<{ retention_in_days: number }>(
      "aws_cloudwatch_log_group",
      id,
    ).retention_in_days;
  const long: Change[] = [["project.yaml", ["aws", "log_retention_days"], 365]];
  const short: Change[] = [["project.yaml", ["aws", "log_retention_days"], 1]];
  assert.equal([days([], "access-log"), days(long, "access-log"), days(short, "access-log")], [30, 365, 1]);
  assert.equal([days([], "api-router-log"), days(long, "api-router-log"), days(short, "api-router-log")], [3, 3, 1]);
});

test("sends alarms to the topic of their severity; a rule changes threshold, text and severity", () => {
  const alarm = (id: string) =>
    all("aws_cloudwatch_metric_alarm").find(({ alarm_name }) => String(alarm_name).endsWith(id));
  const onCall = "arn:aws:sns:eu-west-1:123456789012:on-call";
  const team = "arn:aws:sns:eu-west-1:123456789012:search-team";
  assert.equal(alarm("search-gateway-5xx")?.alarm_actions, [onCall]);
  assert.equal(alarm("request-log-errors")?.alarm_actions, [team]);
  const changedByRule = alarm("search-gateway-p99");
  assert.equal([changedByRule?.alarm_actions, changedByRule?.ok_actions], [[onCall], [onCall]]);
  assert.is(changedByRule?.threshold, 1500);
  assert.match(String(changedByRule?.alarm_description), "takes longer than 1500 ms");
  const machines = all("aws_sfn_state_machine").map(({ definition }) => String(definition));
  assert.ok(machines.some((definition) => definition.includes(team)));
});

test("takes thresholds in the guide's unit: seconds for a model that reports microseconds", () => {
  const rules = { "model-sparse-v3-latency": { threshold: 5 } };
  const stack = example("search-gateway", "all-options", [["project.yaml", ["alarms"], { rules }]]);
  const { threshold } = stack.resource<{ threshold: number }>(
    "aws_cloudwatch_metric_alarm",
    "alarm-model-sparse-v3-latency",
  );
  assert.is(threshold, 5_000_000);
});

test("accepts every alarm of the stacks in alarms.rules", () => {
  const own = example("search-gateway", "all-options").ids("aws_cloudwatch_metric_alarm");
  const service = synth("recommendation", { config: recommendation() }).ids("aws_cloudwatch_metric_alarm");
  const unknown = [...own, ...service].filter((id) => !Object.hasOwn(ALARMS, id.replace(/^alarm-/, "")));
  assert.equal(unknown, []);
});

test("changes nothing in a deployment without these settings", () => {
  const config = configuration("all-options");
  const files = changed(fullExample(), "project.yaml", ["alarms"], undefined);
  for (const name of stackNames(config)) {
    const { text } = synth(name, { config });
    assert.not.match(text, "permissions_boundary");
    assert.not.match(text, /"path": "\//);
  }
  assert.ok(valid(files).project.alarms.topics.critical === undefined);
});

test.run();
