import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../test/fixtures/env.ts";
import { suite } from "../../../test/suite.ts";
import { readStaticModel } from "../static-model.ts";
import { installStaticModel, STATIC_MODEL } from "../static-model-install.ts";
import { writeSmallModel } from "./small-model.ts";

const test = suite("the small real model");

const dir = scratchFolder(TEST_OUTPUT, "static-model");
test.after(() => rmSync(dir, { recursive: true }));
writeSmallModel(join(dir, "model"));
const model = await readStaticModel(join(dir, "model"));

const cosine = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / Math.hypot(...a) / Math.hypot(...b);
const round = (value: number) => Number(value.toFixed(5));

test("knows which words are related, whatever the dimension, the order and the white space", () => {
  for (const dimension of [4, 5, 1_024]) {
    const vector = (text: string) => model.dense(text, dimension, 1);
    assert.is(vector("car").length, dimension);
    assert.is(round(Math.hypot(...vector("car sea"))), 1);
    assert.is(round(cosine(vector("car"), vector("auto"))), 0.8, `${dimension}`);
    assert.is(round(cosine(vector("car"), vector("sea"))), round(-0.5 / Math.hypot(1, 0.5) / Math.SQRT2));
    assert.equal(vector("car sea").map(round), vector(" sea \n\t car").map(round));
  }
});

test("keeps the first components when the dimension is smaller than its own", () => {
  const [car, auto] = [model.dense("car", 2, 1), model.dense("auto", 2, 1)];
  assert.is(round(cosine(car, auto)), round(1 / Math.hypot(1, 0.5)));
});

test("gives models with other seeds other vectors", () => {
  assert.not.equal(model.dense("car", 64, 1), model.dense("car", 64, 3));
});

test("gives every text a vector, and ignores the instruction before queries", () => {
  for (const text of [" ", "xyzzy", "漢字", "a".repeat(50_000)]) {
    assert.is(round(Math.hypot(...model.dense(text, 8, 1))), 1, text.slice(0, 5));
  }
  const instruction = "Represent this sentence for searching relevant passages: ";
  assert.equal(model.dense(`${instruction}car`, 8, 1), model.dense("car", 8, 1));
  assert.is(model.count("car sea"), 4);
});

/** Stands in for Python: makes the environment, and downloads and unpacks a wheel as pip and zipfile do. */
const PYTHON = `#!/bin/sh
echo "$*" >> "${dir}/calls"
for last in "$@"; do :; done
case "$*" in
  *version_info*) echo "3 12" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  *" download "*) if test -e "${dir}/offline"; then echo "No matching distribution"; exit 1; fi; touch "$last/w.whl" ;;
  "-m zipfile "*) mkdir -p "$last/wordllama" && cd "$last/wordllama" && mkdir weights tokenizers &&
    touch weights/l2_supercat_256.safetensors tokenizers/l2_supercat_tokenizer_config.json ;;
esac
`;
const python = join(dir, "python3");
writeFileSync(python, PYTHON);
chmodSync(python, 0o755);
const calls = () => readFileSync(join(dir, "calls"), "utf8").trim().split("\n");

test("is fetched once, by its hash, and needs no network afterwards", async () => {
  const to = join(dir, "to");
  mkdirSync(to);
  const home = await installStaticModel({ dir: to, python });
  assert.ok(existsSync(join(home, "model.safetensors")) && existsSync(join(home, "tokenizer.json")));
  assert.not.ok(existsSync(join(home, "wheels")));
  const download = calls().find((call) => call.includes(" download "));
  assert.match(download ?? "", "--no-deps --only-binary :all: --require-hashes");
  assert.match(STATIC_MODEL, /^wordllama \d+\.\d+\.\d+/);
  writeFileSync(join(dir, "offline"), "");
  const before = calls().length;
  assert.is(await installStaticModel({ dir: to, python }), home);
  assert.is(calls().length, before);
});

test("says that it cannot be fetched, and leaves nothing behind", async () => {
  const to = join(dir, "never");
  writeFileSync(join(dir, "offline"), "");
  const error = await installStaticModel({ dir: to, python }).catch((thrown) => thrown);
  assert.instance(error, LocalError);
  assert.match(error.message, /^wordllama \S+ could not be fetched from PyPI:\n {2}No matching distribution$/);
  assert.not.ok(existsSync(join(to, "model-wordllama")));
});

test.run();
