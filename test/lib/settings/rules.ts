import * as assert from "uvu/assert";
import type { Path } from "../../../lib/settings/problem.ts";
import type { suite } from "../../suite.ts";
import { changed, type Files, problemsOf } from "./example.ts";

/** Values by file and path, such as `api.yaml keys[0].name`; undefined removes one. */
export type Changes = Readonly<Record<string, unknown>>;

/**
 * Changes that keep a rule, unless the example does, changes that break it, and the resulting problem or problems as
 * file, path and message.
 */
export interface Rule {
  rule: string;
  good?: Changes | readonly Changes[];
  bad: Changes;
  problems: string | readonly string[];
}

/** The files with the values at some places changed, one after another. */
export function withChanges(files: Files, changes: Changes): Files {
  return Object.entries(changes).reduce((current, [place, value]) => {
    const [file = "", path = ""] = place.split(" ");
    const steps: Path = [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, at]) => (at ? Number(at) : step));
    return changed(current, file, steps, value);
  }, files);
}

/** Adds tests for each rule: no problem when it is kept, exactly its problems when it is broken. */
export function testRules(test: ReturnType<typeof suite>, example: Files, rules: readonly Rule[]): void {
  test("the example keeps all rules", () => assert.equal(problemsOf(example), []));
  for (const { rule, good, bad, problems } of rules) {
    for (const kept of [good ?? []].flat()) {
      test(`${rule}: kept`, () => assert.equal(problemsOf(withChanges(example, kept)), []));
    }
    test(`${rule}: broken`, () => {
      const found = problemsOf(withChanges(example, bad)).map(
        ({ file, path, message }) => `${file.replace("conf/", "")} ${path} ${message}`,
      );
      assert.equal(found, [problems].flat());
    });
  }
}

/** Adds categorical columns C1, C2, … to the item schema and its ETL configuration. */
export function moreItemColumns(example: Files, count: number): Changes {
  const [ITEM, ETL] = ["schema/item_schema.json", "etl/configure.json"] as const;
  const more = Array.from({ length: count }, (_, index) => ({ name: `C${index + 1}`, type: "string" }));
  const fields = more.map((one) => ({ ...one, categorical: true }));
  return {
    [`${ITEM} fields`]: [...JSON.parse(example[ITEM] ?? "").fields, ...fields],
    [`${ETL} item.columns`]: [...JSON.parse(example[ETL] ?? "").item.columns, ...more],
  };
}
