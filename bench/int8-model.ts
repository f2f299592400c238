import { delimiter, join } from "node:path";
import { books } from "../packages/demo-data/books.ts";
import { installModels, REAL_MODELS } from "../packages/local-models/neural/install.ts";
import { createModelProcess } from "../packages/local-models/neural/model-process.ts";
import { createNeuralModels } from "../packages/local-models/neural/models.ts";
import { ROOT } from "../test/fixtures/env.ts";
import { pythonWith } from "../test/fixtures/python.ts";
import type { Benchmark, Row } from "./result.ts";

const TEXTS = 1_000;
const LEAST = 0.99;
const SEED = 1;

/** Compares the small dense model of `make dev`, whose weights are integers, with its original: the angle for each text. */
export const int8ModelBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const installed = await installModels({ dir: join(ROOT, ".local"), onProgress: console.error });
    const python = await pythonWith("float-model", join(ROOT, "bench/float-model.txt"));
    const packages = [installed.packages, join(ROOT, "packages/local-models/neural")].join(delimiter);
    const processes = [
      createModelProcess(installed),
      createModelProcess({ ...installed, python, packages }, join(ROOT, "bench/float-model.py")),
    ];
    const none = () => () => undefined;
    const models = await Promise.all(processes.map((one) => createNeuralModels(installed.folder, one, none)));
    const cosines: number[] = [];
    for (const { title, description } of books(TEXTS)) {
      const text = `${title}\n${description}`;
      const [one = [], other = []] = await Promise.all(models.map((model) => model.dense(text, 384, SEED)));
      cosines.push(one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0));
    }
    for (const one of processes) one.stop();
    cosines.sort((one, other) => one - other);
    const at = (share: number) => (cosines[Math.floor(share * (cosines.length - 1))] ?? 0).toFixed(4);
    const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
    return [
      {
        what: `cosine of the vectors of ${REAL_MODELS.dense} to those of the same model as floats`,
        budget: `≥ ${LEAST} for each text`,
        reached: `least ${at(0)}, mean ${mean.toFixed(4)}`,
        kept: Number(at(0)) >= LEAST,
        note: `${TEXTS} titles and descriptions of the demo; 1st percentile ${at(0.01)}, median ${at(0.5)}`,
      },
    ];
  },
};
