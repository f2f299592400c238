import { createHash } from "node:crypto";
import { isObject } from "../../platform/json/values.ts";
import type { SuggestSettings } from "../gateway/settings.ts";
import { RunFailure } from "../index/rebuild/failure.ts";
import { documents, indices } from "../index/rebuild/requests.ts";
import type { RunCalls } from "../index/rebuild/run-calls.ts";
import { importWriter } from "../index/rebuild/write.ts";
import { newStamp } from "../index-meta/run-names.ts";
import { SUGGESTIONS_BODY } from "./index-body.ts";
import { stampOf, suggestionsAlias, suggestionsIndex } from "./name.ts";
import type { Suggestion } from "./suggestion.ts";
import { folded, holdsAny } from "./texts.ts";
import { titlesOf } from "./titles.ts";

export interface BuildOptions {
  calls: RunCalls;
  index: string;
  settings: SuggestSettings;
  /** Texts that enough users searched for. */
  searches: readonly Suggestion[];
  now: Date;
  /** When no more titles are read, in milliseconds since the epoch. */
  until?: number;
}

/** How many suggestions an index has. */
export interface Built {
  name: string;
  searches: number;
  titles: number;
  /** Whether there was no time for all titles. */
  isCut: boolean;
  /** Whether the old suggestions stay, since there was time for less than half as many titles as they have. */
  isKept: boolean;
}

/** Suggestions of one call of `_bulk`. */
const BATCH = 2_000;

/**
 * Builds the suggestions of an index in a new index, and then switches the alias to it, so that there are old ones or new ones
 * at any time. Deletes what earlier runs left. Throws RunFailure, after which the old suggestions stay. They also stay if there
 * was no time for most of their titles: not for a few fewer, since an index that is always cut would never get new ones.
 */
export async function buildSuggestions(options: BuildOptions): Promise<Built> {
  const { calls, index, settings, searches, now, until = Number.POSITIVE_INFINITY } = options;
  const name = suggestionsIndex(index, newStamp(now));
  // Before the switch: searches that have begun still read what the alias stands for now.
  await deleteOld(calls, index, now);
  await calls.json(indices.create({ index: name, body: SUGGESTIONS_BODY }));
  try {
    const isNever = holdsAny(settings.never);
    const kept = (given: readonly Suggestion[]) => given.filter(({ text }) => folded(text) !== "" && !isNever(text));
    let written = 0;
    for (let start = 0; start < searches.length; start += BATCH) {
      // Titles, which weigh less than 1, come behind whatever others searched for.
      const part = kept(searches.slice(start, start + BATCH)).map((one) => ({ ...one, weight: 1 + one.weight }));
      written += await write(calls, name, part);
    }
    let titles = 0;
    let isCut = false;
    if (settings.titles) {
      for await (const page of titlesOf(calls, index, settings.titles)) {
        isCut = Date.now() > until;
        if (isCut) break;
        titles += await write(calls, name, kept(page));
      }
    }
    if (isCut && titles < (await presentTitles(calls, index)) / 2) {
      await calls.send(indices.delete({ index: name }), [404]);
      return { name, searches: written, titles, isCut, isKept: true };
    }
    await calls.json(indices.refresh({ index: name }));
    // In one segment, which is sorted by weight, a search that ends early has seen the heaviest suggestions.
    await calls.json({ method: "POST", path: `/${encodeURIComponent(name)}/_forcemerge`, query: "max_num_segments=1" });
    await calls.json(indices.refresh({ index: name }));
    await switchTo(calls, index, name);
    return { name, searches: written, titles, isCut, isKept: false };
  } catch (error) {
    await calls.unstopped.send(indices.delete({ index: name }), [404]).catch(() => undefined);
    throw error;
  }
}

/** Returns the id of a text: a title that somebody also searched for is one suggestion. */
const idOf = (text: string): string => createHash("sha256").update(folded(text)).digest("base64url");

/** Writes suggestions, of which the first one of a text stays. Returns how many are new. */
async function write(calls: RunCalls, index: string, suggestions: readonly Suggestion[]): Promise<number> {
  const outcomes = await importWriter(
    calls,
    index,
  )(suggestions.map((one) => ({ op: "create", id: idOf(one.text), source: JSON.stringify(one) })));
  const refused = outcomes.find((outcome) => outcome.kind === "rejected");
  if (refused) throw new RunFailure(`The cluster refused to store a suggestion: ${refused.reason.slice(0, 500)}`);
  return outcomes.filter(({ kind }) => kind === "written").length;
}

/** Returns how many titles the present suggestions have; 0 if there are none. */
async function presentTitles(calls: RunCalls, index: string): Promise<number> {
  const body = { query: { term: { source: "titles" } } };
  const { count } = await calls.json(documents.count({ index: suggestionsAlias(index), body }), [404]);
  return typeof count === "number" ? count : 0;
}

/** Makes the alias stand for one index alone, in one step. */
async function switchTo(calls: RunCalls, index: string, name: string): Promise<void> {
  const alias = suggestionsAlias(index);
  const present = await calls.json(indices.getAlias({ name: alias, expand_wildcards: "all" }), [404]);
  const others = Object.entries(present).flatMap(([other, value]) => (isObject(value) ? [other] : []));
  const actions = [
    { add: { index: name, alias, is_hidden: true } },
    ...others.map((other) => ({ remove: { index: other, alias } })),
  ];
  await calls.json(indices.updateAliases({ body: { actions } }));
}

/** How long an index may be without its alias: that of a run which is not done. */
const UNFINISHED_MS = 1_800_000;

/** Deletes the indexes that have the alias no more, and those of runs that were killed. */
async function deleteOld(calls: RunCalls, index: string, now: Date): Promise<void> {
  const pattern = `${suggestionsAlias(index)}-*`;
  const found = await calls.json(
    indices.get({ index: pattern, expand_wildcards: "all", allow_no_indices: true }),
    [404],
  );
  const oldest = newStamp(new Date(now.getTime() - UNFINISHED_MS)).slice(0, 15);
  for (const [name, description] of Object.entries(found)) {
    const stamp = stampOf(name, index);
    if (stamp === undefined || stamp > oldest || !isObject(description)) continue;
    if (isObject(description.aliases) && Object.keys(description.aliases).length > 0) continue;
    await calls.send(indices.delete({ index: name }), [404]);
  }
}
