import { globSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import * as assert from "uvu/assert";
import * as recommendation from "../lib/platform/contract/recommendation.ts";
import { RECIPE_KINDS } from "../lib/platform/contract/recommendation.ts";
import * as search from "../lib/platform/contract/search.ts";
import { AUTHORIZATIONS, ENDPOINTS } from "../lib/platform/http/access.ts";
import { ERROR_CODES } from "../lib/platform/http/error.ts";
import { PROBE_KINDS, PROBE_STATES } from "../lib/platform/http/probe.ts";
import { METHODS } from "../lib/platform/http/route.ts";
import { PARAMETER_TYPES } from "../lib/platform/json/parameters.ts";
import { SEVERITIES } from "../lib/settings/alarms.ts";
import { BEDROCK_MODELS, ENDPOINT_MODELS, MODEL_NAMES } from "../lib/settings/embedding-models.ts";
import { RECIPES, TRAINING_MODES } from "../lib/settings/recipes.ts";
import { suite } from "./suite.ts";

const test = suite("enumerations");

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** Every enumeration of both products, by its name. */
const ENUMERATIONS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries({ ...search, ...recommendation }).filter(([, value]) => isTexts(value))),
  ...{ AUTHORIZATIONS, BEDROCK_MODELS, ENDPOINT_MODELS, ENDPOINTS, ERROR_CODES, METHODS, MODEL_NAMES, PARAMETER_TYPES },
  ...{ PROBE_KINDS, PROBE_STATES, RECIPE_KINDS, SEVERITIES, TRAINING_MODES },
};

const keyOf = (values: readonly string[]) => [...new Set(values)].sort().join(" ");

/** Returns the lists and unions of texts that a source writes out, each as a key of its values. */
function listsIn(file: string, source: string): { key: string; place: string }[] {
  const found: { key: string; place: string }[] = [];
  const add = (values: readonly unknown[], start: number) => {
    if (values.length < 2 || !values.every((value) => typeof value === "string")) return;
    found.push({ key: keyOf(values), place: `${file}:${source.slice(0, start).split("\n").length}` });
  };
  const textOf = (node: object | null): unknown => {
    if (node === null || !("type" in node)) return undefined;
    if ("value" in node) return node.value;
    // v.literal("a"), ["a", description]
    if ("arguments" in node) return textOf((node.arguments as object[])[0] ?? null);
    return "literal" in node ? textOf(node.literal as object) : undefined;
  };
  new Visitor({
    TSUnionType: ({ types, start }) => add(types.map(textOf), start),
    ArrayExpression: ({ elements, start }) => add(elements.map(textOf), start),
  }).visit(parseSync(file, source).program);
  return found;
}

test("lists, unions and literals are found", () => {
  const source =
    'const a = ["x", "y"]; type B = "y" | "x"; const c = v.union([v.literal("x"), v.literal("y")]); f(["z"]);';
  assert.equal(
    listsIn("planted.ts", source).map(({ key }) => key),
    ["x y", "x y", "x y"],
  );
});

test("each enumeration is written out once", () => {
  assert.ok(Object.keys(ENUMERATIONS).length > 25);
  const files = globSync("{build,cli,functions,lib,packages,stacks}/**/*.{ts,tsx}", {
    exclude: ["packages/*/test/**", "packages/clients/**", "**/node_modules/**"],
  });
  const places = Map.groupBy(
    files.flatMap((file) => listsIn(file, readFileSync(file, "utf8"))),
    ({ key }) => key,
  );
  const repeated = Object.entries(ENUMERATIONS).flatMap(([name, values]) => {
    const found = (places.get(keyOf(values)) ?? []).map(({ place }) => place);
    return found.length > 1 ? [{ name, found }] : [];
  });
  assert.equal(repeated, []);
});

test("comments and guides name every technique, and comments every recipe", () => {
  const techniques = [...search.NORMALIZATIONS, ...search.COMBINATIONS];
  const named: [file: string, names: readonly string[]][] = [
    ["conf/hybrid_search.yaml", techniques],
    ["docs/guides/search.md", techniques],
    ["conf/solution.yaml", Object.keys(RECIPES)],
  ];
  const missing = named.flatMap(([file, names]) => {
    const words = new Set(readFileSync(file, "utf8").match(/[\w-]+/g));
    return names.filter((name) => !words.has(name)).map((name) => `${file} does not name ${name}`);
  });
  assert.equal(missing, []);
});

test("every pair of techniques is decided once", () => {
  const { COMBINATIONS, NORMALIZATIONS, pairProblem } = search;
  const problems = NORMALIZATIONS.flatMap((normalization) =>
    COMBINATIONS.flatMap((combination) => pairProblem({ normalization, combination }) ?? []),
  );
  assert.equal(problems, ["must be arithmetic_mean with z_score", "must be arithmetic_mean with z_score"]);
});

test.run();
