import { readdirSync, readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { changed, type Files, filledExample, linesOf } from "../lib/settings/example.ts";
import { suite } from "../suite.ts";

const test = suite("docs/guides/csv-to-recommendations.md");

const guide = readFileSync("docs/guides/csv-to-recommendations.md", "utf8");

/** What the guide copies from the folder of the local run: paths of `cp -r my-conf/… conf.mine`. */
const [, taken = ""] = /^cp -r (my-conf\/.*) conf\.mine$/m.exec(guide) ?? [];
const TAKEN = taken.split(" ").map((path) => path.replace("my-conf/", ""));

/** The files in a row's first cell, and what its last cell says about them without the search gateway. */
const rows = [...guide.matchAll(/^\| (`\w+\.yaml`(?:, `\w+\.yaml`)*) \| [^|]+ \| ([^|]+) \|$/gm)].map(
  ([, files = "", alone = ""]) => ({ files: namesIn(files), alone }),
);

/** Returns the folder `conf.mine`: `conf`, in which the copied files replace its own. */
function ownFolder(): Files {
  const local = readdirSync("conf.local", { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.(yaml|json)$/.test(path) && TAKEN.some((start) => path === start || path.startsWith(`${start}/`)),
  );
  return {
    ...filledExample(),
    ...Object.fromEntries(local.map((path) => [path, readFileSync(`conf.local/${path}`, "utf8")])),
  };
}

/** Returns the words in backticks. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

test("copies files for AWS that are valid in the shipped example", () => {
  assert.equal(TAKEN, ["schema", "etl", "solution.yaml", "filter.yaml", "campaign.yaml"]);
  assert.equal(linesOf(ownFolder()), []);
});

test("lists the sections and files to remove so that recommendations deploy alone", () => {
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
