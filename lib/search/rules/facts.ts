import { wordsOf } from "../../platform/words.ts";
import type { Rule, RuleConditions } from "../../settings/rules.ts";

/**
 * The form of an index of rules. It changes with what {@link factsOf} returns for a rule, the words of a text included: an index
 * is made when rules are written, and read by functions of another version.
 */
export const INDEX_FORM = 2;

/** Rules by the facts of which each needs one, so that a search is not compared with all of them. */
export interface RuleIndex {
  /** A fact, a tab, and the places of the rules that need it; sorted by UTF-16 code units. */
  lines: readonly string[];
  /** How long the beginnings of index names are that rules are indexed by. */
  prefixes: readonly number[];
}

/** The fact that every search has. */
export const EVERY = "";

/** Prefix of the facts of phrases in a text. */
export const PHRASE = "phrase=";

/** Returns a fact as it stands in a line. Another one may be written alike: the conditions of a rule are compared, too. */
export const written = (fact: string): string => fact.replaceAll("\t", " ");

/** Returns whether this is the beginning of index names, and not one of them. */
export const isPrefix = (pattern: string): boolean => pattern.endsWith("*");

/** Returns the index of rules, each of which is found again by its place. */
export function indexOf(rules: readonly Rule[], places: readonly number[]): RuleIndex {
  const byFact = new Map<string, Set<number>>();
  const prefixes = new Set<number>();
  for (const [at, { when }] of rules.entries()) {
    for (const fact of factsOf(when)) {
      const found = byFact.get(written(fact)) ?? new Set();
      byFact.set(written(fact), found.add(places[at] as number));
      if (fact.startsWith("index=") && isPrefix(fact)) prefixes.add(fact.length - "index=*".length);
    }
  }
  const lines = Array.from(byFact, ([fact, found]) => `${fact}\t${[...found].join(",")}`);
  return { lines: lines.sort(), prefixes: [...prefixes] };
}

/** Returns the facts of which a rule needs one, by the condition that fewest searches are likely to fulfil. */
function factsOf({ text, params, filters, segments, experiment, indexes, keys, templates }: RuleConditions): string[] {
  if (text) {
    // No words are no text: a search without any fulfils no condition on it.
    const facts = (start: string, texts: readonly string[] = []) =>
      texts.flatMap((one) => {
        const words = wordsOf(one).join(" ");
        return words === "" ? [] : [start + words];
      });
    return [...facts("text=", text.is), ...facts(PHRASE, text.contains)];
  }
  const [param] = params ?? [];
  if (param) return param.values.map((value) => `param=${param.name}=${value}`);
  const [filter] = filters ?? [];
  if (filter) return filter.values.map((value) => `filter=${filter.field}=${value}`);
  if (segments) return segments.map((one) => `segment=${one}`);
  if (experiment) return [`experiment=${experiment.name}`];
  if (indexes) return indexes.map((one) => `index=${one}`);
  if (keys) return keys.map((one) => `key=${one}`);
  return templates?.map((one) => `template=${one}`) ?? [EVERY];
}
