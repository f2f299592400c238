import type { ObjectStore } from "../../lib/platform/aws/object-store.ts";
import type { Probe } from "../../lib/platform/http/probe.ts";
import type { DatabaseLimits } from "../../lib/platform/sql/database.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { buildSuggestions } from "../../lib/search/suggest/build.ts";
import type { BuiltSuggestions, SuggestionsSettings } from "../../lib/search/suggest/run.ts";
import { titlesAloneBecause } from "../../lib/search/suggest/sources.ts";

export interface SuggestionsClients {
  calls: RunCalls;
  store: ObjectStore;
  limits: DatabaseLimits;
  /** Calls the cluster, for `relevance deploy`. */
  probe(): Promise<Probe>;
  /** Writes one line to the function's own log. */
  print(line: string): void;
  now(): Date;
}

/** Of 15 minutes. The rest is for titles and for writing. */
const READING_MS = 8 * 60_000;
/** The indexes share what is left of this for their titles; the rest is for the last steps of each. */
const TITLES_MS = 13 * 60_000;

/** Returns a handler that builds the suggestions of all indexes anew. If one of them fails, the others are built. */
export function createHandler(settings: SuggestionsSettings, clients: SuggestionsClients) {
  const { calls, store, limits, print } = clients;
  return async (event?: object): Promise<{ built: BuiltSuggestions[] } | Probe[]> => {
    if (event && "probe" in event) return [await clients.probe()];
    const now = clients.now();
    const end = Date.now() + TITLES_MS;
    const reason = titlesAloneBecause(settings.logging);
    const wanted = settings.indexes.flatMap(({ index, suggest: { searches } }) =>
      searches && reason === undefined ? [{ index, ...searches }] : [],
    );
    const found =
      wanted.length > 0
        ? await readSearches(wanted, { store, limits, now, until: Date.now() + READING_MS })
        : undefined;
    const built: BuiltSuggestions[] = [];
    const failures: unknown[] = [];
    for (const [place, { index, suggest }] of settings.indexes.entries()) {
      const { texts = [], days, damaged = 0 } = found?.get(index) ?? {};
      const until = Date.now() + (end - Date.now()) / (settings.indexes.length - place);
      try {
        const options = { calls, index, settings: suggest, searches: texts, now, until };
        const { searches, titles, isCut, isKept } = await buildSuggestions(options);
        const left = suggest.searches ? reason : undefined;
        const one = {
          ...{ index, searches, titles },
          ...(days !== undefined && { days }),
          ...(damaged > 0 && { damaged }),
          ...(isCut && { titles_cut: true }),
          ...(isKept && { kept: true }),
          ...(left && { left_out: left }),
        };
        built.push(one);
        const outcome = isKept
          ? { level: "warn", message: "the old suggestions stay" }
          : { level: "info", message: "built suggestions" };
        print(JSON.stringify({ ...outcome, ...one }));
      } catch (error) {
        failures.push(error);
        print(JSON.stringify({ level: "error", message: "no suggestions were built", index, error: String(error) }));
      }
    }
    if (failures.length > 0) {
      const [first] = failures;
      throw new Error(`${failures.length} of ${settings.indexes.length} indexes have no new suggestions: ${first}`, {
        cause: first,
      });
    }
    return { built };
  };
}

type ReadSearches = typeof import("../../lib/search/suggest/searched-texts.ts").searchedTexts;

/** Loads the engine only where the request log is read. */
const readSearches: ReadSearches = async (...given) => {
  const { searchedTexts } = await import("../../lib/search/suggest/searched-texts.ts");
  return searchedTexts(...given);
};
