import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import type { TuningQuery } from "../../lab/tuning/collection.ts";
import type { TunedSettings } from "../../lab/tuning/settings.ts";
import type { Tuning } from "../../lab/tuning/tune.ts";
import { checkHybridSearchText, loadHybridSearch } from "../../lib/config/load.ts";
import { HYBRID_DEFAULTS } from "../../lib/core/contract/search.ts";
import { ApiError } from "../../lib/core/http/error.ts";
import { withQuery } from "../../lib/core/json/template.ts";
import { concurrently } from "../../lib/core/resilience/concurrently.ts";
import { capabilitiesOf } from "../../lib/search/opensearch/capabilities.ts";
import { findMapping } from "../../lib/search/target/entry.ts";
import { type Context, confOf, defineCommand } from "../command.ts";
import { Failure, UsageError } from "../errors.ts";
import { type Candidates, readCandidates } from "../gateway/candidates.ts";
import { entryFor } from "../gateway/entry.ts";
import { defineGatewayOptions, type Gateway, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { defineJudgedOptions, judgedOptions, metricsOf, readQueries, readSettings } from "../lab/evaluation-input.ts";

const Depths = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,3}(,[1-9]\d{0,3})*$/, "must be numbers from 1 to 9999, separated by commas"),
  v.transform((text) => text.split(",").map(Number)),
);

/** `relevance tune`: finds settings of hybrid search and writes them into hybrid_search.yaml. */
export const command = defineCommand({
  example: "relevance tune --local --settings settings.yaml --judgments judgments.csv --write",
  json: true,
  define: (command) => {
    defineJudgedOptions(command, "YAML file with the index and a hybrid template, as for evaluate");
    command
      .option("--metric <name>", "metric to improve", "ndcg@10")
      .option("--candidates <numbers>", "candidates to try, besides the current number", "50,100,200")
      .option("--k <numbers>", "values of k to try besides that of the template's knn queries; each costs a retrieval")
      .option("--write", "write better settings into hybrid_search.yaml")
      .option("--picture <file>", "draw the metric over the weights of the first two subqueries, as SVG");
    defineGatewayOptions(command);
  },
  options: {
    ...gatewayOptions,
    ...judgedOptions,
    metric: v.string(),
    candidates: Depths,
    k: v.optional(Depths),
    write: v.optional(v.boolean(), false),
    picture: v.optional(v.string()),
  },
  run: async (options, context) => {
    const { listsOnlyRelevant } = await import("../../lab/evaluation/evaluate.ts");
    const { doubtAboutGain } = await import("../../lab/tuning/judged.ts");
    const { collectionOf } = await import("../../lab/tuning/collection.ts");
    const { techniquesOf } = await import("../../lab/tuning/settings.ts");
    const { MIN_QUERIES, tune } = await import("../../lab/tuning/tune.ts");
    const { terminal } = context;
    const conf = confOf(options);
    const [metric] = await metricsOf(options.metric);
    const { index, template } = await readSettings(options.settings);
    if (!metric || template === undefined) {
      throw new UsageError(`${options.settings} needs a hybrid template beside index`);
    }
    const { hybrid_queries } = loadHybridSearch(conf);
    const { queries, judgments, origins, check, warnings } = await readQueries(options, index, context);
    if (check) {
      terminal.note(
        "A language model judged, and `tune` does not correct its error: confirm with `relevance evaluate`",
      );
    }
    if (queries.length < MIN_QUERIES) {
      throw new UsageError(
        `Tuning needs at least ${MIN_QUERIES} judged queries; ${options.judgments} has ${queries.length}`,
      );
    }
    const gateway = await openGateway(options, context, ["hybrid-search"]);
    const entry = await entryFor(gateway.cluster, hybrid_queries, index).catch((error: unknown) => {
      // A key that may only search cannot ask what an alias stands for.
      if (error instanceof ApiError) return findMapping(hybrid_queries, index);
      throw error;
    });
    const current = entry?.candidates ?? 100;
    const depths = [...new Set([current, ...options.candidates])];
    // The template's own first, which is in use; its number again would cost a retrieval for nothing.
    const own = knnSizes(template);
    const ks = [null, ...(options.k ?? []).filter((k) => own.some((other) => other !== k))];
    terminal.note(`Retrieving the candidates of ${queries.length} queries`);
    let support: Candidates | undefined;
    const retrieved = await concurrently(queries, options.concurrency, async (query): Promise<TuningQuery> => {
      const byK = new Map<number | null, Candidates["subqueries"]>();
      for (const k of ks) {
        const filled = withQuery(template, query.text);
        const body = { index, search_query: query.text, search_request_template: withK(filled, k) };
        support = await candidates(gateway, { ...body, depth: Math.max(...depths) });
        byK.set(k, support.subqueries);
      }
      return { id: query.id, grades: judgments.get(query.id) ?? new Map(), retrieved: byK };
    });
    const { globalRanks = false, version = "0", subqueries = [] } = support ?? {};
    const collection = collectionOf(retrieved, metric, globalRanks);
    const configured = entry?.settings;
    const fits = configured?.weights?.length === subqueries.length;
    const inUse: TunedSettings = {
      normalization: configured?.normalization ?? HYBRID_DEFAULTS.normalization,
      combination: configured?.combination ?? HYBRID_DEFAULTS.combination,
      weights: fits ? (configured?.weights ?? null) : null,
      ...{ candidates: current, k: null },
    };
    const techniques = techniquesOf(capabilitiesOf(version));
    const found = tune(collection, { current: inUse, techniques, candidates: depths, ks });
    const gain = {
      ...{ queries: retrieved, metric, globalRanks, current: inUse },
      best: found.best,
      isReal: found.isReal,
    };
    const doubt = listsOnlyRelevant(judgments, origins) ? undefined : doubtAboutGain(gain);
    const tuning: Tuning = doubt === undefined ? found : { ...found, isReal: false, doubt };
    if (options.picture !== undefined) {
      const { surfaceSvg } = await import("../../lab/tuning/surface.ts");
      writeFileSync(options.picture, surfaceSvg(collection, tuning.best, metric.name));
    }
    if (options.json) terminal.printJson({ ...tuning, metric: metric.name, warnings });
    else await print(tuning, metric.name, context);
    if (options.write && tuning.isReal) await write(conf, entry?.index, tuning.best, context);
    return 0;
  },
});

async function candidates(gateway: Gateway, body: object): Promise<Candidates> {
  const answer = await gateway.post("/application/hybrid-search/candidates", body);
  return readCandidates(answer.body);
}

/** Returns the `k` of each knn query of a template; undefined for one without. */
function knnSizes(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const isKnn = key === "knn" && typeof item === "object" && item !== null;
    return isKnn
      ? Object.values(item as Record<string, { k?: unknown } | null>).map((query) => query?.k)
      : knnSizes(item);
  });
}

/** Returns a copy of a template whose knn queries have another k; the template itself if `k` is null. */
function withK(value: unknown, k: number | null): unknown {
  if (k === null || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withK(item, k));
  const entries = Object.entries(value).map(([key, item]) => {
    if (key !== "knn" || typeof item !== "object" || item === null) return [key, withK(item, k)];
    const fields = Object.entries(item).map(([field, query]) => [field, { ...(query as object), k }]);
    return [key, Object.fromEntries(fields)];
  });
  return Object.fromEntries(entries);
}

async function print(tuning: Tuning, metric: string, { terminal }: Context): Promise<void> {
  const { shown } = await import("../../lab/evaluation/sentences.ts");
  const { tuningText } = await import("../../lab/tuning/sentences.ts");
  const { best, current, tuned, gain, settings, queries = 0 } = tuning;
  terminal.print(`${settings} settings, computed from one retrieval of ${queries} queries`);
  terminal.print(`current  ${shown(current)} ${metric}`);
  terminal.print(`best     ${shown(tuned)} ${metric}: ${described(best)}`);
  const interval = `${shown(gain.mean)} (95 % interval ${shown(gain.low)} to ${shown(gain.high)})`;
  terminal.print(`gain     ${interval} on queries that were not used for the choice`);
  terminal.print(`\n${tuningText({ ...tuning, metric })}`);
}

function described({ weights, normalization, combination, candidates: depth, k }: TunedSettings): string {
  const parts = [weights ? `weights ${weights.join(", ")}` : "equal weights", normalization, combination];
  return [...parts, `${depth} candidates`, ...(k === null ? [] : [`k ${k}`])].join("; ");
}

async function write(
  conf: string,
  entry: string | undefined,
  best: TunedSettings,
  { terminal }: Context,
): Promise<void> {
  const { replace } = await import("../../lab/server/replace.ts");
  const { withDefaults } = await import("../../lab/tuning/write-settings.ts");
  const file = join(conf, "hybrid_search.yaml");
  const text = readFileSync(file, "utf8");
  const changed = entry === undefined ? undefined : withDefaults(text, entry, best);
  if (changed === undefined) {
    throw new Failure(`${file} has no entry in block style for this index: add the settings above by hand`);
  }
  checkHybridSearchText(conf, changed);
  replace(file, changed);
  terminal.note(`Written to ${file}. Run \`relevance deploy\`, or restart \`make dev\`, to use them.`);
  if (best.k !== null) {
    terminal.note(
      `k is part of a search template and no setting of an index. The gain was measured with k: ${best.k}: set it in the ` +
        "knn queries of your templates.",
    );
  }
}
