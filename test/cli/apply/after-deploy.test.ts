import * as assert from "uvu/assert";
import { apisJson, printApis } from "../../../cli/apply/after-deploy.ts";
import type { DeployedApi } from "../../../cli/deployed-api.ts";
import { createTerminal } from "../../../cli/terminal.ts";
import { namesOf } from "../../../lib/core/naming/names.ts";
import { example } from "../../stacks/support.ts";
import { suite } from "../../suite.ts";

const test = suite("what a deployment and info print");

const names = namesOf({ project: "all-options", account: "123456789012", region: "eu-west-1" });

const gateway: DeployedApi = {
  service: "search-gateway",
  url: "https://search.example.org",
  executeUrl: "https://a1.execute-api.eu-west-1.amazonaws.com/v1",
  keys: [
    { name: "first", value: "k1" },
    { name: "second", value: "k2" },
  ],
};

const recommendation: DeployedApi = {
  service: "recommendation",
  url: "https://b2.execute-api.eu-west-1.amazonaws.com/v1",
  executeUrl: "https://b2.execute-api.eu-west-1.amazonaws.com/v1",
  keys: [{ name: "only", value: "k3" }],
};

/** What is printed on standard output. */
function printed(apis: readonly DeployedApi[]): string {
  let text = "";
  const out = { write: (part: string) => (text += part) };
  printApis(createTerminal(out, { write: () => assert.unreachable("nothing is a note") }, true), apis, names);
  return text;
}

test("URLs, every key, and last the topic with the page about subscribing", () => {
  assert.is(
    printed([gateway, recommendation]),
    [
      "search-gateway",
      "  URL      https://search.example.org",
      "           https://a1.execute-api.eu-west-1.amazonaws.com/v1",
      "  API key  k1  (first)",
      "  API key  k2  (second)",
      "recommendation",
      "  URL      https://b2.execute-api.eu-west-1.amazonaws.com/v1",
      "  API key  k3",
      "alarms",
      "  topic    arn:aws:sns:eu-west-1:123456789012:all-options-alarms",
      "           docs/guides/monitoring.md shows how to subscribe",
      "",
    ].join("\n"),
  );
});

test("without a deployed service there is no topic to print", () => {
  assert.is(printed([]), "");
  assert.equal(apisJson([], names), {});
});

test("as JSON each service names the topic that its alarms have in the stack", () => {
  const { "search-gateway": found } = apisJson([gateway], names);
  assert.equal(found, {
    url: gateway.url,
    execute_url: gateway.executeUrl,
    api_keys: ["k1", "k2"],
    alarms_topic_arn: "arn:aws:sns:eu-west-1:123456789012:all-options-alarms",
  });
  const { alarm_actions } = example("search-gateway", "all-options").resource<{ alarm_actions: string[] }>(
    "aws_cloudwatch_metric_alarm",
    "alarm-search-gateway-5xx",
  );
  assert.equal(alarm_actions, [found?.alarms_topic_arn]);
});

test.run();
