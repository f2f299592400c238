import * as assert from "uvu/assert";
import type { Path } from "../../../lib/settings/problem.ts";
import type { suite } from "../../suite.ts";
import { changed, type Files, problemsOf } from "./example.ts";

/** One changed value; undefined removes it. */
export type Change = [file: string, path: Path, value: unknown];

/** Changes that keep a rule, changes that break it, and the resulting problems as file, path and message. */
export interface Rule {
  rule: string;
  good: Change[];
  bad: Change[];
  problems: string[];
}

/** Adds two tests for each rule: no problem when it is kept, exactly its problems when it is broken. */
export function testRules(test: ReturnType<typeof suite>, example: Files, rules: readonly Rule[]): void {
  const apply = (changes: readonly Change[]) =>
    changes.reduce((files, [file, path, value]) => changed(files, file, path, value), example);
  for (const { rule, good, bad, problems } of rules) {
    test(`${rule}: kept`, () => {
      assert.equal(problemsOf(apply(good)), []);
    });
    test(`${rule}: broken`, () => {
      const found = problemsOf(apply(bad)).map(({ file, path, message }) => `${file} ${path} ${message}`);
      assert.equal(found, problems);
    });
  }
}
