import { globSync, readFileSync } from "node:fs";
import { RegExpParser } from "@eslint-community/regexpp";
import { parseSync, Visitor } from "oxc-parser";
import { analyse } from "scslre";
import * as assert from "uvu/assert";
import { suite } from "./suite.ts";

const test = suite("regular expressions");

/** Built from constants for the operator's own files; no request meets them. */
const BUILT = [
  ...["cli/terminal.ts", "cli/terraform/explain.ts", "cli/recommendation/sample-options.ts"],
  ...["lib/settings/kinds.ts", "lib/settings/names.ts", "lib/search/suggest/texts.ts", "lib/platform/words.ts"],
];

const files = globSync(["{lib,functions,cli}/**/*.ts", "packages/lab/**/*.ts"], { exclude: ["packages/lab/test/**"] });

/** Regular expressions of a file, and whether it builds others at run time. */
function patternsOf(file: string): { literals: string[]; builds: boolean } {
  const text = readFileSync(file, "utf8");
  const literals: string[] = [];
  let builds = false;
  const constructed = ({ callee }: { callee: object }) => {
    if ("name" in callee && callee.name === "RegExp") builds = true;
  };
  new Visitor({
    Literal: (node) => {
      if ("regex" in node) literals.push(node.raw ?? "");
    },
    NewExpression: constructed,
    CallExpression: constructed,
  }).visit(parseSync(file, text).program);
  return { literals, builds };
}

/** Whether a text exists for which matching takes more than linear time. */
const isSlow = (literal: string) => analyse(new RegExpParser().parseLiteral(literal)).reports.length > 0;

test("the checker finds exponential, cubic and quadratic ones", () => {
  assert.ok([/^(a+)+$/, /\s*(?:"([^"]*)"|([^",]*))\s*(,|$)/y, /\/+$/].every(({ source }) => isSlow(`/${source}/`)));
  assert.not(isSlow("/^[a-z]+$/"));
});

test("all of the product match in time linear in the text", () => {
  const found = files.flatMap((file) => patternsOf(file).literals.map((literal) => ({ file, literal })));
  assert.ok(found.length > 100, `only ${found.length} were found`);
  assert.equal(
    found.filter(({ literal }) => isSlow(literal)),
    [],
  );
});

test("none is built at run time from what a request holds", () => {
  assert.equal(
    files.filter((file) => patternsOf(file).builds),
    BUILT,
  );
});

test.run();
