import { MODELS } from "@relevance/lib/settings/embedding-models.ts";
import { commandLines, type Example } from "./examples.ts";
import type { LocalModel } from "./models.ts";
import type { Addresses } from "./state-file.ts";

export interface BannerOptions {
  state: Addresses;
  models: readonly LocalModel[];
  /** Rerankers that the entries use. Default: none. */
  rerankers?: readonly string[];
  examples: readonly Example[];
  /** Examples of the recommendation service, if it runs. */
  recommendation: RecommendationPart | undefined;
  stateFile: string;
  seconds: number;
}

interface RecommendationPart {
  /** Commands for a first training with this configuration. */
  firstSteps: readonly string[];
  /** Empty before the first training. */
  examples: readonly Example[];
  searchExamples: readonly Example[];
}

/** Returns the text that is shown when the stack is ready. */
export function banner({
  state,
  models,
  rerankers = [],
  examples,
  recommendation,
  stateFile,
  seconds,
}: BannerOptions): string {
  const { search, opensearch, aws, keys = {}, console, shop } = state;
  const lines = [
    "",
    `Ready after ${seconds.toFixed(1)} s.`,
    "",
    `  console      ${console.url}  (open it in a browser)`,
    ...(shop ? [`  shop page    ${shop.url}  (a shop over both services)`] : []),
    `  API URL      ${search.url}`,
    ...(state.recommendation ? [`  recommend    ${state.recommendation.url}`] : []),
    `  API key      ${search.api_key}`,
    ...Object.entries(keys).map(([name, key]) => `               ${key} ${name}`),
    `  OpenSearch   ${opensearch.url} (${opensearch.version})`,
    `  AWS endpoint ${aws.endpoint}`,
    ...models.flatMap(({ name, by }) => (by !== "words" && "url" in by ? [`  ${name} ${by.url}`] : [])),
    `  for scripts  ${stateFile}`,
    ...modelLines(models),
    ...rerankerLines(rerankers),
  ];
  if (examples.length > 0) lines.push("", "Try, in another terminal:");
  lines.push(...commandLines(search, examples));
  if (recommendation && state.recommendation) {
    if (recommendation.examples.length === 0) {
      lines.push(
        "",
        "Recommendations need data and a training. In another terminal, in a minute or two:",
        ...recommendation.firstSteps.map((command) => `  ${command}`),
      );
    }
    lines.push(...commandLines(state.recommendation, recommendation.examples));
    lines.push(...commandLines(search, recommendation.searchExamples));
  }
  lines.push("", "Ctrl-C stops everything; the data stays.", "");
  return lines.join("\n");
}

/** Returns the lines about rerankers that are replaced by stand-ins. */
function rerankerLines(rerankers: readonly string[]): string[] {
  if (rerankers.length === 0) return [];
  return [
    "",
    `A stand-in, not the real reranker: ${rerankers.join(", ")}. It counts which words of the query a text has, and knows`,
    "nothing of meaning: good for trying and testing, no measure of search quality.",
  ];
}

/** Returns the lines about models that are replaced locally: their limits, and how to use real ones where possible. */
function modelLines(models: readonly LocalModel[]): string[] {
  const replaced = models.filter(({ by }) => by === "words" || "small" in by);
  const words = models.filter(({ by }) => by === "words").map(({ name }) => name);
  const small = models.flatMap(({ name, by }) => (by !== "words" && "small" in by ? { name, by: by.small } : []));
  const lines: string[] = [];
  if (small.length > 0) {
    lines.push(
      "",
      "Small real models of English. They know what a text means, and are weaker than the models on AWS:",
      ...small.map(({ name, by }) => `  ${by} instead of ${name}`),
    );
  }
  if (words.length > 0) {
    lines.push(
      "",
      `Stand-ins, not the real models: ${words.join(", ")}. They hash the words of a text, so they find texts that share`,
      "words, or parts of words, and know nothing of meaning: good for trying and testing, no measure of search quality.",
    );
  }
  const servable = replaced.filter(({ source }) => source !== undefined);
  if (servable.length === 0) return lines;
  lines.push(
    "",
    "For a real model, run Text Embeddings Inference with it and set",
    ...servable.map(({ name, source }) => {
      const needs = MODELS[name].kind === "sparse" ? " (POOLING=splade; run make models first)" : "";
      return `  EMBEDDING_URL_${name.toUpperCase()}=http://…  for ${source}${needs}`;
    }),
  );
  return lines;
}
