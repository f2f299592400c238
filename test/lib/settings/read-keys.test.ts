import { globSync, readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { settingsOf } from "../../../build/settings-files.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { FILES } from "../../../lib/settings/reference.ts";
import { keysOf } from "../../../lib/settings/shape.ts";
import { sampleStacks } from "../../../stacks/sample-stacks.ts";
import { FULL_NAMES, fullConfiguration } from "../../fixtures/configurations/every-option.ts";
import { suite } from "../../suite.ts";
import { changed, valid, withoutRules } from "./example.ts";

const test = suite("every key is read");

/** Neither the files that declare keys, which import the kinds of their values, nor checks read a key. */
const isReader = (file: string, source: string) =>
  !file.startsWith("lib/settings/") || !(file.startsWith("lib/settings/checks/") || source.includes('/kinds.ts"'));

test("by code that names it", () => {
  const named = new Set<string>();
  for (const file of globSync("{lib,stacks,functions,cli,build}/**/*.ts")) {
    const source = readFileSync(file, "utf8");
    if (!isReader(file, source)) continue;
    for (const [word] of source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "").matchAll(/[a-z]\w*/gi)) named.add(word);
  }
  const unnamed = FILES.flatMap(([file, schema]) =>
    keysOf(schema).flatMap((key) => (named.has(key) ? [] : [file, key])),
  );
  assert.equal(unnamed, []);
});

/** All callers share one key, and an index uses each hosted model and the reranker. */
function otherModels() {
  const mapping = (model_name: string) => ({ embedding_field: model_name, model_name, src_fields: ["title"] });
  const models = ["ext_embed_english_v3", "ext_embed_multilingual_v3", "ext_embed_bedrock"];
  const rerank = { model: "reranker", fields: ["title"] };
  const entry = { index: "others", embedding_mappings: models.map(mapping), rerank };
  const files = changed(withoutRules(), "hybrid_search.yaml", ["hybrid_queries", 1], entry);
  return valid(changed(files, "api.yaml", ["keys"], undefined));
}

/** What functions read as documents, and what the parser and the tool read. The first test finds the names in these. */
const ELSEWHERE = /^(searchGateway\.(rules|synonyms)|recommendation\.placements|api\.domain_name_system$)|_file_path$/;

/** The keys of each object that were read. */
const reads = new Map<object, Set<string>>();

test("while stacks and the settings of functions are made", () => {
  const found = new Map<string, boolean>();
  const names = namesOf({ project: "demo", account: "123456789012", region: "eu-west-1" });
  for (const configuration of [...FULL_NAMES.map((name) => fullConfiguration(name)), otherModels()]) {
    const config = watched(configuration);
    sampleStacks(config);
    JSON.stringify(settingsOf(config, { names }));
    for (const [path, isRead] of leaves({ ...configuration, files: {} })) found.set(path, isRead || !!found.get(path));
  }
  const unread = [...found].filter(([path, isRead]) => !isRead && !ELSEWHERE.test(path));
  assert.equal(unread, []);
});

/** Returns a value that notes which keys of each object in it are read. */
function watched<Value>(value: Value): Value {
  if (value === null || typeof value !== "object") return value;
  return new Proxy(value, {
    get(target, key) {
      if (Object.hasOwn(target, key)) reads.set(target, (reads.get(target) ?? new Set()).add(String(key)));
      return watched(Reflect.get(target, key));
    },
  });
}

/** Yields each value without others in it, and whether it was read. The entries of a list have the same path. */
function* leaves(value: object, path = ""): Generator<[path: string, isRead: boolean]> {
  for (const [key, below] of Object.entries(value)) {
    const step = `${path}${Array.isArray(value) ? "[]" : `${path && "."}${key}`}`;
    if (below === null || typeof below !== "object") yield [step, reads.get(value)?.has(key) === true];
    else yield* leaves(below, step);
  }
}

test.run();
