import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded, shuffled } from "../../lib/platform/statistics/random.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { patient } from "../../packages/processes/wait.ts";
import { OPENSEARCH_ENV, ROOT } from "../../test/fixtures/env.ts";
import { type Benchmark, load, type Row } from "../result.ts";
import { candidates, type Mutant } from "./candidates.ts";
import { integrationTests, nearestTests } from "./nearest.ts";
import { copyRepository, noticedBy, UnfitTests } from "./play.ts";
import { type Sample, type Survivor, survivorsTable } from "./sample.ts";

const FOLDERS = ["lib/search", "lib/recommendation", "lib/platform", "functions"];
const SAMPLE = join(import.meta.dirname, "sample.json");

/** Unit test files that one mutant is shown to. */
const NEAREST = 16;
const TIME_LIMIT_MS = patient(30_000);
/** Of an integration test file, on servers that run already. */
const SERVER_LIMIT_MS = patient(60_000);
const hasServers = process.env[OPENSEARCH_ENV] !== undefined;
/** Mutants that run at the same time, each in a copy of its own. */
const PARALLEL = 4;

/**
 * Do the nearest tests notice a small change of the code? BENCH_SEED and BENCH_MUTANTS choose another sample than the
 * one that is kept; of the same seed a larger sample begins with the smaller one. BENCH_SURVIVORS=1 plays only the
 * survivors of the last run again, after tests were added. With TEST_OPENSEARCH, what no unit test notices is shown to
 * the integration tests of its folder.
 */
export const mutantsBenchmark: Benchmark = {
  async run() {
    process.chdir(ROOT);
    const seed = Number(process.env.BENCH_SEED ?? 1);
    const count = Number(process.env.BENCH_MUTANTS ?? 200);
    const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`)).sort();
    const nearest = nearestTests(files);
    const all = await candidates(ROOT, files);
    const reached = all.filter(({ file }) => (nearest.get(file) ?? []).length > 0);
    const chosen = shuffled(reached, seeded(seed)).slice(0, count);
    console.error(
      `${all.length} mutants, ${reached.length} in files that a unit test reaches, ${chosen.length} chosen`,
    );
    const testsOf = ({ file }: Mutant) => (nearest.get(file) ?? []).slice(0, NEAREST);
    const earlier = storedSample();
    const again = process.env.BENCH_SURVIVORS ? earlier : undefined;
    const survivors = await survivorsOf(again ? survivorsAmong(all, again) : chosen, testsOf);
    const population = again ?? { seed, all: all.length, reached: reached.length, played: chosen.length };
    const sample = nextSample(population, survivors, earlier);
    writeFileSync(SAMPLE, `${JSON.stringify(sample, undefined, 2)}\n`);
    return [rowOf(sample)];
  },
};

/** Plays the mutants in copies of the repository, and returns those that survive, in the order of the sample. */
async function survivorsOf(
  chosen: readonly Mutant[],
  testsOf: (mutant: Mutant) => readonly string[],
): Promise<Mutant[]> {
  const copies = Array.from({ length: PARALLEL }, (_, at) => scratchFolder(join(ROOT, ".local"), `mutants-${at}`));
  try {
    for (const copy of copies) copyRepository(ROOT, copy);
    const unfit = new UnfitTests();
    const queue = [...chosen];
    const survivors = new Set<Mutant>();
    const worker = async (copy: string) => {
      for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
        const by =
          (await noticedBy(copy, mutant, testsOf(mutant), { timeLimitMs: TIME_LIMIT_MS, unfit })) ??
          (hasServers &&
            (await noticedBy(copy, mutant, integrationTests(mutant.file), { timeLimitMs: SERVER_LIMIT_MS, unfit })));
        if (!by) survivors.add(mutant);
        console.error(`${mutant.file}:${mutant.line} ${mutant.kind}: ${by || "SURVIVED"}`);
      }
    };
    await Promise.all(copies.map(worker));
    return chosen.filter((mutant) => survivors.has(mutant));
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
}

function storedSample(): Sample | undefined {
  return existsSync(SAMPLE) ? (JSON.parse(readFileSync(SAMPLE, "utf8")) as Sample) : undefined;
}

/** Keeps the first rate of the same sample, and the sentences that people wrote about survivors. */
function nextSample(
  population: Pick<Sample, "seed" | "all" | "reached" | "played">,
  survivors: readonly Mutant[],
  earlier: Sample | undefined,
): Sample {
  const isSame = earlier?.seed === population.seed && earlier.played === population.played;
  const why = new Map(earlier?.survivors.map((one) => [keyOf(one), one.why]));
  return {
    ...population,
    survivedAtFirst: isSame ? earlier.survivedAtFirst : survivors.length,
    survivors: survivors.map(({ file, line, kind, original, replacement }) => {
      const own = { file, line, kind, original, replacement };
      return { ...own, why: why.get(keyOf(own)) ?? "" };
    }),
  };
}

/** Lines move with every change of a file, so they do not tell whether it is the same mutant. */
const keyOf = ({ file, kind, original, replacement }: Omit<Survivor, "why" | "line">) =>
  JSON.stringify([file, kind, original, replacement]);

/**
 * Returns the mutants that survived. Where the code has changed since then, another draw would have other mutants; one
 * whose own code has changed is gone.
 */
const survivorsAmong = (all: readonly Mutant[], { survivors }: Sample): Mutant[] =>
  survivors.flatMap((survivor) => {
    const alike = all.filter((one) => keyOf(one) === keyOf(survivor));
    const distance = ({ line }: Mutant) => Math.abs(line - survivor.line);
    return alike.toSorted((one, other) => distance(one) - distance(other)).slice(0, 1);
  });

function rowOf(sample: Sample): Row {
  const { played, survivors, survivedAtFirst, all, reached, seed } = sample;
  const rate = (survived: number) => `${(((played - survived) / played) * 100).toFixed(1)} %`;
  const equivalent = survivors.filter(({ why }) => why !== "").length;
  return {
    what: `small changes of ${FOLDERS.join(", ")} that the nearest ${NEAREST} unit test files, or integration tests of their folder, notice`,
    budget: "each survivor has a reason",
    reached: rate(survivors.length),
    kept: equivalent === survivors.length,
    note:
      `${played - survivors.length} of ${played} mutants of Stryker's mutators, seed ${seed}, drawn from ${reached}; ` +
      `${all - reached} more are in files that no unit test reaches. When the sample was first played: ` +
      `${rate(survivedAtFirst)}; ${load()}`,
    details: survivorsTable(sample),
  };
}
