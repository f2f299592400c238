import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import type { Judgment } from "../../judgments/judgments.ts";
import { documentsFor, nextQuery, taskProgress } from "../../judgments/task.ts";
import { judgingTasks } from "../../server/tasks.ts";

const test = suite("judging tasks of the console");

const root = scratchFolder(TEST_OUTPUT, "judging-tasks");
const tasks = judgingTasks(join(root, "tasks"));
const sent = {
  name: "spring",
  judgments: "mine",
  index: "books",
  depth: 10,
  raters: 2,
  queries: ["salt", "__proto__"],
};

test("keeps a task, and the documents that a query had when somebody opened it first", () => {
  const { queries } = tasks.create({ ...sent, queries: ["salt", "__proto__", "salt"] });
  assert.equal(queries, [{ query: "salt" }, { query: "__proto__" }]);
  tasks.open("spring", { query: "__proto__", documents: ["b1", "b2", "b1"] });
  tasks.open("spring", { query: "__proto__", documents: ["b9"] });
  assert.equal(tasks.read("spring").queries[1]?.documents, ["b1", "b2"]);
  assert.equal(tasks.list(), [{ name: "spring", judgments: "mine", index: "books", depth: 10, raters: 2 }]);
  assert.throws(() => tasks.open("spring", { query: "other", documents: [] }), /has no query/);
  assert.throws(() => tasks.create(sent), /There is a task spring already/);
});

test("refuses names that leave the folder, to read, create and change", () => {
  writeFileSync(join(root, "secret.json"), JSON.stringify({ ...sent, queries: [{ query: "salt" }] }));
  for (const name of ["../secret", "..\\secret", "a/b", "", ".hidden", "a.b", "a\0", `${"a".repeat(65)}`]) {
    assert.throws(() => tasks.read(name), /is not a name/);
    assert.throws(() => tasks.create({ ...sent, name }), /is not a name/);
    assert.throws(() => tasks.create({ ...sent, name: "new", judgments: name }), /is not a name/);
    assert.throws(() => tasks.open(name, { query: "salt", documents: [] }), /is not a name/);
  }
  assert.throws(() => tasks.read("absent"), /There is no task absent/);
});

test("a copied file is a task of its own, and files that are no tasks leave the others usable", () => {
  const path = (name: string) => join(root, "tasks", `${name}.json`);
  const original = readFileSync(path("spring"), "utf8");
  writeFileSync(path("copy"), original);
  tasks.open("copy", { query: "salt", documents: ["b3"] });
  assert.is(readFileSync(path("spring"), "utf8"), original);
  assert.equal(tasks.read("copy").queries[0]?.documents, ["b3"]);
  for (const [name, text] of [
    ["spring (1)", original],
    ["half", original.slice(0, 40)],
    ["list", "[]"],
    ["other", '{"queries": "salt"}'],
  ] as const) {
    writeFileSync(path(name), text);
  }
  assert.equal(
    tasks.list().map(({ name }) => name),
    ["copy", "spring"],
  );
  assert.throws(() => tasks.read("half"), /half\.json is not a task/);
});

test("counts what each rater judged, and continues at the first open document", () => {
  const task = { ...sent, queries: [{ query: "salt", documents: ["b1", "b2"] }, { query: "storm" }] };
  const by = (rater: string, document: string): Judgment => ({ query: "salt", document, grade: 1, rater });
  const rows = [by("Ada", "b1"), by("Ada", "b2"), by("Ben", "b1"), { ...by("", "b2"), grade: 3 }, by("Cem", "b7")];
  assert.equal(taskProgress(task, rows), { documents: 2, done: 1, unopened: 1, raters: { Ada: 2, Ben: 1 } });
  assert.is(nextQuery(task, "Ada", rows), "storm");
  assert.is(nextQuery(task, "Ada", rows, new Set(["storm", "salt"])), undefined);
  assert.is(nextQuery(task, "Cem", rows), "salt");
  assert.equal(documentsFor("Cem", task.queries[0] as (typeof task.queries)[0], task, rows), ["b2"]);
  assert.equal(documentsFor("Ben", task.queries[0] as (typeof task.queries)[0], task, rows), ["b1", "b2"]);
  const all = { ...task, queries: task.queries.slice(0, 1) };
  assert.is(nextQuery(all, "Cem", [...rows, by("Ben", "b2")]), undefined);
});

test.run();
