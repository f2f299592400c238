import { wordsOf } from "../../platform/words.ts";
import type { Rule, RuleConditions } from "../../settings/rules.ts";

/**
 * Version of the index format of rules. Increase it when {@link factsOf} returns something else for a rule, including
 * the words of a text: indexes are written with the rules, and read by functions of other versions.
 */
export const INDEX_FORM = 3;

/**
 * Rules by index key ("fact"): a rule can only apply if the search has one of its keys. So a search is compared with
 * few rules.
 */
export interface RuleIndex {
  /** A key, a tab, and the positions of the rules that require it; sorted by UTF-16 code units. */
  lines: readonly string[];
  /** Lengths of the index name prefixes that rules are indexed by. */
  prefixes: readonly number[];
}

/** The key that every search has. */
export const EVERY = "";

/** Prefix of keys for phrases in a text. */
export const PHRASE = "phrase=";

/** Returns a key as written in a line. Different keys may become equal; the rule's conditions are compared anyway. */
export const written = (fact: string): string => fact.replaceAll("\t", " ");

/** Returns whether a pattern is a prefix of index names instead of a name. */
export const isPrefix = (pattern: string): boolean => pattern.endsWith("*");

/** Returns the index of rules. `places` are the rules' positions. */
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

/**
 * Returns the keys of which a search must have one for the rule to apply: those of the condition that the fewest
 * searches are likely to fulfil.
 */
function factsOf({ text, params, filters, segments, experiment, indexes, keys, templates }: RuleConditions): string[] {
  if (text) {
    // A text without words counts as no text: a search without text fulfils no condition on it.
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
