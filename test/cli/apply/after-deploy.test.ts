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
    { key: "default", name: "first", value: "k1" },
    { key: "shop", name: "second", value: "k2" },
  ],
};

const recommendation: DeployedApi = {
  service: "recommendation",
  url: "https://b2.execute-api.eu-west-1.amazonaws.com/v1",
  executeUrl: "https://b2.execute-api.eu-west-1.amazonaws.com/v1",
  keys: [{ key: "default", name: "only", value: "k3" }],
};

/** What is printed on standard output. */
function printed(apis: readonly DeployedApi[], show = true): string {
  let text = "";
  const out = { write: (part: string) => (text += part) };
  printApis(createTerminal(out, { write: () => assert.unreachable("nothing is a note") }, true), apis, names, { show });
  return text;
}

test("URLs, every key, and last the topic with the page about subscribing", () => {
  assert.is(
    printed([gateway, recommendation]),
    [
      "search-gateway",
      "  URL      https://search.example.org",
      "           https://a1.execute-api.eu-west-1.amazonaws.com/v1",
      "  API key  k1  default (first)",
      "  API key  k2  shop (second)",
      "recommendation",
      "  URL      https://b2.execute-api.eu-west-1.amazonaws.com/v1",
      "  API key  k3  default (only)",
      "alarms",
      "  topic    arn:aws:sns:eu-west-1:123456789012:all-options-alarms",
      "           docs/guides/monitoring.md shows how to subscribe",
      "",
    ].join("\n"),
  );
});

test("the values of keys only on request", () => {
  const text = printed([gateway], false);
  assert.match(text, "  API key  default (first)\n  API key  shop (second)\n");
  assert.not.match(text, /k1|k2/);
  assert.not.match(JSON.stringify(apisJson([gateway], names, { show: false })), /k1|k2/);
});

test("without a deployed service there is no topic to print", () => {
  assert.is(printed([]), "");
  assert.equal(apisJson([], names, { show: true }), {});
});

test("as JSON each service names the topic that its alarms have in the stack", () => {
  const { "search-gateway": found } = apisJson([gateway], names, { show: true });
  assert.equal(found, {
    url: gateway.url,
    execute_url: gateway.executeUrl,
    keys: [
      { key: "default", name: "first", value: "k1" },
      { key: "shop", name: "second", value: "k2" },
    ],
    alarms_topic_arn: "arn:aws:sns:eu-west-1:123456789012:all-options-alarms",
  });
  const { alarm_actions } = example("search-gateway", "all-options").resource<{ alarm_actions: string[] }>(
    "aws_cloudwatch_metric_alarm",
    "alarm-search-gateway-5xx",
  );
  assert.equal(alarm_actions, [found?.alarms_topic_arn]);
});

test.run();
