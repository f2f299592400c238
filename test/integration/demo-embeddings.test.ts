import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { demoTexts } from "../../packages/local/dev/demo-index.ts";
import { DEMO_EMBEDDINGS } from "../../packages/local/dev/models.ts";
import { installModels, REAL_MODELS_ID } from "../../packages/local-models/neural/install.ts";
import { createModelProcess } from "../../packages/local-models/neural/model-process.ts";
import { createNeuralModels } from "../../packages/local-models/neural/models.ts";
import { readStored } from "../../packages/local-models/neural/stored-embeddings.ts";
import { ROOT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("embeddings of the demo");

const stored = readStored(readFileSync(DEMO_EMBEDDINGS), REAL_MODELS_ID);
const { searchGateway } = loadConfiguration(join(ROOT, "conf.local"));
const texts = demoTexts(searchGateway?.hybridQueries ?? []);

const installed = await installModels({ dir: join(ROOT, ".local") });
const running = createModelProcess(installed);
test.after(() => running.stop());
const models = await createNeuralModels(installed.folder, running, () => () => undefined);

const cosine = (a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>) => {
  const length = (one: ReadonlyMap<number, number>) => Math.hypot(...one.values());
  return [...a].reduce((sum, [at, value]) => sum + value * (b.get(at) ?? 0), 0) / length(a) / length(b);
};
const denseOf = (vector: readonly number[]) => new Map(vector.entries());
const sparseOf = ([ids, weights]: readonly [readonly number[], readonly number[]]) =>
  new Map(ids.map((id, at) => [id, weights[at] ?? 0]));

test("are those of every text that a first start embeds: after a change, `make demo-embeddings` computes them again", () => {
  assert.ok(texts.length > 1_000);
  assert.equal(
    texts.filter((text) => !stored(text)),
    [],
  );
});

test("are what the real models compute now, up to rounding and the processor's integers", async () => {
  for (const text of texts.filter((_, at) => at % Math.ceil(texts.length / 20) === 0)) {
    const [before, now] = [stored(text), await models.compute(text)];
    assert.ok(before);
    assert.ok(cosine(denseOf(before.dense), denseOf(now.dense)) > 0.99, text);
    assert.ok(cosine(sparseOf(before.sparse), sparseOf(now.sparse)) > 0.99, text);
  }
});

test("come from models that know what a text means", async () => {
  const near = async (one: string, other: string) => {
    const [a, b] = await Promise.all([models.dense(one, 384, 1), models.dense(other, 384, 1)]);
    return cosine(denseOf(a), denseOf(b));
  };
  const conquest = "The Ottoman conquest of Constantinople in 1453.";
  assert.ok((await near("how empires fall", conquest)) > (await near("how empires fall", "A guide to choux pastry.")));
  const tokens = new Map(
    Object.entries(JSON.parse(readFileSync(join(installed.folder, "tokenizer.json"), "utf8")).model.vocab),
  );
  const given = new Set((await models.sparse("how empires fall")).map(({ index }) => index));
  for (const word of ["empire", "realm", "dynasty"]) assert.ok(given.has(tokens.get(word) as number), word);
});

test.run();
