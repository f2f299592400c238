import { createHash } from "node:crypto";
import { isObject } from "../../platform/json/values.ts";
import { textKey, wordsOf } from "../../platform/words.ts";
import type { SuggestSettings } from "../gateway/settings.ts";
import { RunFailure } from "../index/rebuild/failure.ts";
import { documents, indices } from "../index/rebuild/requests.ts";
import type { RunCalls } from "../index/rebuild/run-calls.ts";
import { importWriter } from "../index/rebuild/write.ts";
import { newStamp } from "../index-meta/run-names.ts";
import { SUGGESTIONS_BODY } from "./index-body.ts";
import { stampOf, suggestionsAlias, suggestionsIndex } from "./name.ts";
import type { Suggestion } from "./suggestion.ts";
import { holdsAny } from "./texts.ts";
import { titlesOf } from "./titles.ts";

export interface BuildOptions {
  calls: RunCalls;
  index: string;
  settings: SuggestSettings;
  /** Texts that enough users searched for. */
  searches: readonly Suggestion[];
  now: Date;
  /** Deadline for reading titles, in milliseconds since the epoch. */
  until?: number;
}

/** Number of suggestions of an index. */
export interface Built {
  name: string;
  searches: number;
  titles: number;
  /** Whether titles are missing because time ran out. */
  isCut: boolean;
  /** Whether the old suggestions stay, because time was too short for half as many titles as they have. */
  isKept: boolean;
}

/** Suggestions per `_bulk` call. */
const BATCH = 2_000;

/**
 * Builds the suggestions of an index in a new index, then switches the alias to it, so that readers always have the old
 * or the new ones. Deletes remains of earlier runs. Throws RunFailure, after which the old suggestions stay. They also
 * stay if time was too short for most of their titles. A few fewer titles are accepted: otherwise an index that never
 * has enough time would never be updated.
 */
export async function buildSuggestions(options: BuildOptions): Promise<Built> {
  const { calls, index, settings, searches, now, until = Number.POSITIVE_INFINITY } = options;
  const name = suggestionsIndex(index, newStamp(now));
  // Before the switch, because searches in progress still read the index that the alias stands for now.
  await deleteOld(calls, index, now);
  await calls.json(indices.create({ index: name, body: SUGGESTIONS_BODY }));
  try {
    const isNever = holdsAny(settings.never);
    const kept = (given: readonly Suggestion[]) =>
      given.filter(({ text }) => wordsOf(text).length > 0 && !isNever(text));
    let written = 0;
    for (let start = 0; start < searches.length; start += BATCH) {
      // Titles weigh less than 1, so they come after all searched texts.
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
    // With one segment, sorted by weight, a search that ends early has seen the heaviest suggestions.
    await calls.json({ method: "POST", path: `/${encodeURIComponent(name)}/_forcemerge`, query: "max_num_segments=1" });
    await calls.json(indices.refresh({ index: name }));
    await switchTo(calls, index, name);
    return { name, searches: written, titles, isCut, isKept: false };
  } catch (error) {
    await calls.unstopped.send(indices.delete({ index: name }), [404]).catch(() => undefined);
    throw error;
  }
}

/**
 * Returns the id of a suggestion, so that a title which was also searched for is one suggestion. Titles with values are
 * one for each combination: a filter must not find a value of one document and another value of another.
 */
const idOf = ({ text, values = [] }: Suggestion): string =>
  createHash("sha256")
    .update([textKey(text), ...[...values].sort()].join("\n"))
    .digest("base64url");

/** Writes suggestions. If a text occurs twice, the first one stays. Returns the number of new ones. */
async function write(calls: RunCalls, index: string, suggestions: readonly Suggestion[]): Promise<number> {
  const outcomes = await importWriter(
    calls,
    index,
  )(
    suggestions.map((one) => ({
      op: "create",
      id: idOf(one),
      source: JSON.stringify({ ...one, key: textKey(one.text) }),
    })),
  );
  const refused = outcomes.find((outcome) => outcome.kind === "rejected");
  if (refused) throw new RunFailure(`The cluster refused to store a suggestion: ${refused.reason.slice(0, 500)}`);
  return outcomes.filter(({ kind }, at) => kind === "written" && !suggestions[at]?.values).length;
}

/** Returns the number of titles among the current suggestions; 0 if there are none. */
async function presentTitles(calls: RunCalls, index: string): Promise<number> {
  const body = {
    query: { bool: { filter: [{ term: { source: "titles" } }], must_not: [{ exists: { field: "values" } }] } },
  };
  const { count } = await calls.json(documents.count({ index: suggestionsAlias(index), body }), [404]);
  return typeof count === "number" ? count : 0;
}

/** Switches the alias to one index in one call. */
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

/** Age (ms) up to which an index without alias may belong to a running build. */
const UNFINISHED_MS = 1_800_000;

/** Deletes indexes that lost the alias, and those of killed builds. */
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
