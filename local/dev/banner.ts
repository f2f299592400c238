import type { ModelName } from "../../lib/config/embedding-models.ts";
import { commandLines, type Example } from "./examples.ts";
import type { DevState } from "./state-file.ts";

export interface BannerOptions {
  state: DevState;
  /** Models that the configuration uses. Real models have a URL, stand-ins do not. */
  models: readonly { name: ModelName; url: string | undefined }[];
  examples: readonly Example[];
  /** Examples of the recommendation service, if it runs. */
  recommendation: RecommendationPart | undefined;
  stateFile: string;
  seconds: number;
}

interface RecommendationPart {
  /** Commands that lead to a first training with this configuration. */
  firstSteps: readonly string[];
  /** Empty before the first training. */
  examples: readonly Example[];
  searchExamples: readonly Example[];
}

/** Returns the text that is shown when everything is up. */
export function banner({ state, models, examples, recommendation, stateFile, seconds }: BannerOptions): string {
  const { search, opensearch, aws, keys = {}, console } = state;
  const standIns = models.filter(({ url }) => url === undefined);
  const lines = [
    "",
    `Ready after ${seconds.toFixed(1)} s.`,
    "",
    `  console      ${console.url}  (open it in a browser)`,
    `  API URL      ${search.url}`,
    ...(state.recommendation ? [`  recommend    ${state.recommendation.url}`] : []),
    `  API key      ${search.api_key}`,
    ...Object.entries(keys).map(([name, key]) => `               ${key} ${name}`),
    `  OpenSearch   ${opensearch.url} (${opensearch.version})`,
    `  AWS endpoint ${aws.endpoint}`,
    ...models.flatMap(({ name, url }) => (url ? [`  ${name} ${url}`] : [])),
    `  for scripts  ${stateFile}`,
  ];
  if (standIns.length > 0) {
    lines.push(
      "",
      `Stand-ins, not the real models: ${standIns.map(({ name }) => name).join(", ")}. They hash the words of a text, so`,
      "they find texts that share words, or parts of words, and know nothing of meaning: good for trying and testing,",
      "but no measure of search quality. For a real one, run Text Embeddings Inference and set",
      `  ${standIns.map(({ name }) => `EMBEDDING_URL_${name.toUpperCase()}=http://…`).join("\n  ")}`,
    );
  }
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
