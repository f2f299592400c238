import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/monitoring.md");

const guide = readFileSync("docs/guides/monitoring.md", "utf8");

test("names the topic and the dashboards as the stacks do", () => {
  const names = namesOf({ project: "<project>", account: "ACCOUNT", region: "REGION" });
  for (const name of [
    names.arn("sns", names.topic()),
    `\`${names.topic()}\``,
    `\`${names.dashboard("search-gateway")}\``,
    `\`${names.dashboard("recommendation")}\``,
    names.functionLogGroup("api-router"),
    names.accessLogGroup("search-gateway"),
    names.streamLogGroup("search-logs"),
    names.stateMachineLogGroup("training"),
  ]) {
    assert.ok(guide.includes(name), name);
  }
});

test.run();
