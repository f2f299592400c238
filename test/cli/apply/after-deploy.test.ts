import * as assert from "uvu/assert";
import { apisJson, printApis } from "../../../cli/apply/after-deploy.ts";
import type { DeployedApi } from "../../../cli/deployed-api.ts";
import { createTerminal } from "../../../cli/terminal.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import type { Alarms } from "../../../lib/settings/alarms.ts";
import { example } from "../../stacks/support.ts";
import { suite } from "../../suite.ts";

const test = suite("what a deployment and info print");

const names = namesOf({ project: "all-options", account: "123456789012", region: "eu-west-1" });

const gateway: DeployedApi = {
  service: "search-gateway",
  url: "https://search.example.org",
  executeUrl: "https://a1.execute-api.eu-west-1.amazonaws.com/v1",
  authorization: "api_key",
  keys: [
    { key: "default", name: "first", value: "k1" },
    { key: "shop", name: "second", value: "k2" },
  ],
};

const NONE: Alarms = { topics: {}, rules: {} };
const OWN_TOPIC = "arn:aws:sns:eu-west-1:123456789012:all-options-alarms";

const recommendation: DeployedApi = {
  service: "recommendation",
  url: "https://b2.execute-api.eu-west-1.amazonaws.com/v1",
  executeUrl: "https://b2.execute-api.eu-west-1.amazonaws.com/v1",
  authorization: "api_key",
  keys: [{ key: "default", name: "only", value: "k3" }],
};

/** Returns what is printed on standard output. */
function printed(apis: readonly DeployedApi[], options: { show?: boolean; alarms?: Alarms } = {}): string {
  let text = "";
  const out = { write: (part: string) => (text += part) };
  const terminal = createTerminal(out, { write: () => assert.unreachable("nothing is a note") }, true);
  printApis(terminal, apis, { names, alarms: NONE, show: true, ...options });
  return text;
}

test("prints the URLs, every key, and last the alarm topic with the guide about subscribing", () => {
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

test("prints key values only on request", () => {
  const text = printed([gateway], { show: false });
  assert.match(text, "  API key  default (first)\n  API key  shop (second)\n");
  assert.not.match(text, /k1|k2/);
  assert.not.match(JSON.stringify(apisJson([gateway], { names, alarms: NONE, show: false })), /k1|k2/);
});

test("says how callers are authorized if an API has no keys, and does not offer to show keys", () => {
  for (const [authorization, words] of [
    ["iam", "callers  sign their requests (authorization: iam); there are no API keys"],
    ["lambda", "callers  are authorized by your function (authorization: lambda); there are no API keys"],
  ] as const) {
    const api: DeployedApi = { ...gateway, authorization, keys: [] };
    const text = printed([api], { show: false });
    assert.match(text, words);
    assert.not.match(text, /--show|API key {2}/);
    const { "search-gateway": found } = apisJson([api], { names, alarms: NONE, show: false });
    assert.equal([found?.authorization, found?.keys], [authorization, []]);
  }
});

test("prints no topic if no service is deployed", () => {
  assert.is(printed([]), "");
  assert.equal(apisJson([], { names, alarms: NONE, show: true }), {});
});

test("prints the configured topics by severity", () => {
  const topics = { critical: "arn:aws:sns:eu-west-1:123456789012:on-call" };
  assert.match(
    printed([gateway], { alarms: { ...NONE, topics } }),
    `alarms\n  critical ${topics.critical}\n  warning  ${OWN_TOPIC}\n`,
  );
  const same = { critical: topics.critical, warning: topics.critical };
  const text = printed([gateway], { alarms: { ...NONE, topics: same } });
  assert.match(text, `alarms\n  topic    ${topics.critical}\n`);
  assert.not.match(text, OWN_TOPIC);
});

test("lists for each service in JSON the same topics as the stack's alarms have", () => {
  const { "search-gateway": found } = apisJson([gateway], { names, alarms: NONE, show: true });
  assert.equal(found, {
    url: gateway.url,
    execute_url: gateway.executeUrl,
    authorization: "api_key",
    keys: [
      { key: "default", name: "first", value: "k1" },
      { key: "shop", name: "second", value: "k2" },
    ],
    alarm_topics: { critical: OWN_TOPIC, warning: OWN_TOPIC },
  });
  const { alarm_actions } = example("search-gateway", "all-options").resource<{ alarm_actions: string[] }>(
    "aws_cloudwatch_metric_alarm",
    "alarm-search-gateway-5xx",
  );
  assert.equal(alarm_actions, [found?.alarm_topics.critical]);
});

test.run();
