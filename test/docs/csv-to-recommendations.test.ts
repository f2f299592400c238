import { readdirSync, readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { changed, type Files, filledExample, linesOf } from "../lib/config/example.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/csv-to-recommendations.md");

const guide = readFileSync("docs/guides/csv-to-recommendations.md", "utf8");

/** What the guide takes along from the folder that ran on the machine: paths of `cp -r my-conf/… conf.mine`. */
const [, taken = ""] = /^cp -r (my-conf\/.*) conf\.mine$/m.exec(guide) ?? [];
const TAKEN = taken.split(" ").map((path) => path.replace("my-conf/", ""));

/** Files of a row's first cell, and what its last cell says of them without the search gateway. */
const rows = [...guide.matchAll(/^\| (`\w+\.yaml`(?:, `\w+\.yaml`)*) \| [^|]+ \| ([^|]+) \|$/gm)].map(
  ([, files = "", alone = ""]) => ({ files: namesIn(files), alone }),
);

/** The folder `conf.mine`: `conf`, with what was taken along in place of its own. */
function ownFolder(): Files {
  const local = readdirSync("conf.local", { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.(yaml|json)$/.test(path) && TAKEN.some((start) => path === start || path.startsWith(`${start}/`)),
  );
  return {
    ...filledExample(),
    ...Object.fromEntries(local.map((path) => [path, readFileSync(`conf.local/${path}`, "utf8")])),
  };
}

/** Words in backticks. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

test("the files that it copies for AWS fit the shipped example", () => {
  assert.equal(TAKEN, ["schema", "etl", "solution.yaml", "filter.yaml"]);
  assert.equal(linesOf(ownFolder()), []);
});

test("with the sections and files gone that its table names, recommendations deploy alone", () => {
  const removed = rows.filter(({ alone }) => /^remove the files?\b/.test(alone)).flatMap(({ files }) => files);
  assert.equal(removed.sort(), ["api.yaml", "hybrid_search.yaml", "model.yaml"]);
  const project = rows.find(({ files }) => files.includes("project.yaml"));
  const sections = namesIn(project?.alone.split("remove the sections ")[1] ?? "");
  assert.equal(sections, ["vpc", "opensearch"]);
  const kept = Object.fromEntries(Object.entries(ownFolder()).filter(([path]) => !removed.includes(path)));
  const alone = sections.reduce<Files>((files, name) => changed(files, "project.yaml", [name], undefined), kept);
  assert.equal(linesOf(alone), []);
});

test.run();
