import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { RECIPE_KINDS } from "../../lib/platform/contract/recommendation.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { VETOES } from "../../lib/search/scaler/decide.ts";
import { MODEL_NAMES } from "../../lib/settings/embedding-models.ts";
import { synthesize } from "../../stacks/synthesize.ts";
import { configuration, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { changed, fullExample, valid } from "../lib/settings/example.ts";
import { ARTIFACTS } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/monitoring.md");

const guide = readFileSync("docs/guides/monitoring.md", "utf8");
const [, section = ""] = guide.split("\n## Alarms\n");

/** When each alarm of the guide starts, by name. A row may have several. */
const starts = [...section.matchAll(/^\| (`.+`) \| (.+) \| .+ \|$/gm)].flatMap(([, names = "", when = ""]) =>
  [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]): [string, string] => [name, when]),
);

/** Placeholders of the guide: one alarm stands for all models, or for all recipes. */
const KINDS: ReadonlyArray<readonly [kind: string, members: readonly string[]]> = [
  ["<model>", MODEL_NAMES],
  ["<recipe>", RECIPE_KINDS],
];

interface Alarm {
  alarm_name: string;
  alarm_description: string;
}

/** Returns the names and descriptions of the alarms of all stacks, with every option of both services. */
function alarmsOfStacks(): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "monitoring-"));
  const found = new Map<string, string>();
  try {
    for (const [index, config] of [
      configuration("all-options"),
      valid(changed(fullExample(), "project.yaml", ["alarms"], undefined)),
    ].entries()) {
      const outdir = join(folder, String(index));
      const stacks = synthesize({ config, discovery: discoveryOf(config), artifacts: ARTIFACTS, outdir });
      for (const { directory } of stacks) {
        const { resource } = JSON.parse(readFileSync(join(directory, "cdk.tf.json"), "utf8"));
        const alarms: Alarm[] = Object.values(resource.aws_cloudwatch_metric_alarm ?? {});
        for (const { alarm_name, alarm_description } of alarms) {
          const name = alarm_name.slice(config.project.project_name.length + 1);
          const general = generalOf(name, alarm_description);
          found.set(general.name, general.description);
        }
      }
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns an alarm as the guide names it, and its description: `model-<model>-errors` for `model-sparse-v3-errors`. */
function generalOf(name: string, description: string): { name: string; description: string } {
  for (const [kind, members] of KINDS) {
    const member = members.find((one) => name.includes(one.replaceAll("_", "-")));
    if (member === undefined) continue;
    return { name: name.replace(member.replaceAll("_", "-"), kind), description: description.replace(member, kind) };
  }
  return { name, description };
}

test("lists exactly the alarms of both services with the thresholds of their descriptions", () => {
  const alarms = alarmsOfStacks();
  assert.equal(starts.map(([name]) => name).toSorted(), [...alarms.keys()].toSorted());
  for (const [name, when] of starts) {
    assert.equal(when.match(/\d+/g)?.at(-1), alarms.get(name)?.match(/\d+/g)?.[0], name);
  }
});

test("lists exactly the scaler's vetoes", () => {
  const [, scaling = ""] = guide.split("\n## Scaling of the cluster\n");
  const [, table = ""] = scaling.split("\n| veto |");
  const documented = [...table.slice(0, table.indexOf("\n\n")).matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
  assert.equal(Object.fromEntries(documented.map(([, name, words]) => [name, words])), VETOES);
});

test("names the topic and the dashboards as the stacks do", () => {
  const names = namesOf({ project: "<project>", account: "ACCOUNT", region: "REGION" });
  for (const name of [
    names.arn("sns", names.topic()),
    `\`${names.topic()}\``,
    `\`${names.dashboard("search-gateway")}\``,
    `\`${names.dashboard("recommendation")}\``,
    names.arn("sqs", names.queue("realtime-dead-letters")),
    names.functionLogGroup("api-router"),
    names.accessLogGroup("search-gateway"),
    names.streamLogGroup("search-logs"),
    names.stateMachineLogGroup("training"),
    names.endpointLogGroup(names.endpoint("<model>")),
  ]) {
    assert.ok(guide.includes(name), name);
  }
});

test.run();
