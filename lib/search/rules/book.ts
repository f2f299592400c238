import type { CurrentDocument } from "../../platform/aws/versioned-documents.ts";
import type { RuleSet } from "../../platform/contract/search.ts";
import { queryIssue } from "../../platform/json/query-issue.ts";
import { isObject } from "../../platform/json/values.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { wordsOf } from "../../platform/words.ts";
import { instantOf } from "../../platform/zoned-time.ts";
import type { Rule, RuleConditions } from "../../settings/rules.ts";
import { EVERY, indexOf, isPrefix, PHRASE, type RuleIndex, written } from "./facts.ts";

/** Properties of a search that rules are compared with. */
export interface SearchFacts {
  /** The text that the user typed. */
  text: string | null | undefined;
  /** The names of the searched indexes. A rule applies to an index by any of them. */
  names: readonly string[];
  template: string | null | undefined;
  params: Readonly<Record<string, unknown>> | null | undefined;
  /** The native body: the request's own, or its filled template. With `filter`, that of the whole search. */
  native: Readonly<Record<string, unknown>>;
  /** Name of the caller's key. */
  key: string;
  /** Segments of users that the request names. */
  segments?: readonly string[] | null | undefined;
  /** The variant of an experiment that the search is part of. */
  experiment?: { name: string; variant: string } | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

/** Reads a document of rules as an index for lookups. */
export type RuleReader = (set: Exclude<RuleSet, "none">, deadline: Deadline) => Promise<CurrentDocument<RuleBook>>;

/** Rules, indexed by one condition each, so that a search is compared with few of them. */
export interface RuleBook {
  /** Returns the rules that apply to a search, in their order. Throws if one could crash a node of the cluster. */
  matching(facts: SearchFacts): Rule[];
}

/** A rule that has been parsed for comparison. */
interface Entry {
  rule: Rule;
  /** Returns whether the rule applies at a time, in milliseconds since 1970. */
  appliesAt: (now: number) => boolean;
}

/** Returns a book that looks up rules by priority, then by their order in the list. */
export function ruleBook(rules: readonly Rule[]): RuleBook {
  const index = indexOf(rules, [...rules.keys()]);
  return indexedBook(index, (place) => rules[place] as Rule);
}

/** Returns a rule book that parses each rule on first use; the positions in the index are in list order. */
export function indexedBook({ lines, prefixes }: RuleIndex, ruleAt: (place: number) => Rule): RuleBook {
  const entries = new Map<number, Entry>();
  const areFiltersRead = lines[lineFrom(lines, "filter=")]?.startsWith("filter=");

  function entryAt(place: number): Entry {
    const known = entries.get(place);
    if (known) return known;
    const rule = ruleAt(place);
    // The document may have been edited by hand.
    const harmful = queryIssue(rule.effects);
    if (harmful) throw new Error(`effects.${harmful.path} ${harmful.message}`);
    const entry = { rule, appliesAt: period(rule.when) };
    entries.set(place, entry);
    return entry;
  }

  /** Yields the index keys ("facts") of a search, except for phrases of its text. */
  function* factsIn(search: Comparable, words: readonly string[]): Generator<string> {
    const { params, key, segments, template, experiment } = search;
    yield EVERY;
    yield `text=${words.join(" ")}`;
    for (const [name, given] of Object.entries(params ?? {})) {
      for (const value of [given].flat()) yield `param=${name}=${value}`;
    }
    if (areFiltersRead) {
      for (const [field, values] of search.filters()) for (const value of values) yield `filter=${field}=${value}`;
    }
    for (const name of segments ?? []) yield `segment=${name}`;
    if (experiment) yield `experiment=${experiment.name}`;
    for (const name of search.names) {
      yield `index=${name}`;
      for (const length of prefixes) if (length <= name.length) yield `index=${name.slice(0, length)}*`;
    }
    yield `key=${key}`;
    yield `template=${template}`;
  }

  /** Yields the index lines of phrases in the text. Lines with the same first word are adjacent. */
  function* phrasesIn(words: readonly string[]): Generator<string> {
    for (const [at, word] of words.entries()) {
      const start = PHRASE + word;
      for (let next = lineFrom(lines, start); ; next += 1) {
        const line = lines[next];
        if (!line?.startsWith(start) || !(line[start.length] === " " || line[start.length] === "\t")) break;
        const rest = line.slice(start.length, line.indexOf("\t")).split(" ").slice(1);
        if (rest.every((one, further) => words[at + 1 + further] === one)) yield line;
      }
    }
  }

  /** Returns the positions of rules whose indexed condition a search fulfils, in list order. */
  function placesFor(search: Comparable): number[] {
    const words = search.text == null ? [] : wordsOf(search.text);
    const found = new Set<number>();
    const add = (line: string) => {
      for (const place of line.slice(line.indexOf("\t") + 1).split(",")) found.add(Number(place));
    };
    for (const fact of factsIn(search, words)) {
      const start = `${written(fact)}\t`;
      const line = lines[lineFrom(lines, start)];
      if (line?.startsWith(start)) add(line);
    }
    for (const line of phrasesIn(words)) add(line);
    return [...found].sort((a, b) => a - b);
  }

  return {
    matching(facts) {
      const search = comparable(facts);
      return placesFor(search)
        .map(entryAt)
        .filter(({ rule, appliesAt }) => holds(rule.when, search) && appliesAt(facts.now))
        .map(({ rule }) => rule)
        .sort((a, b) => b.priority - a.priority);
    },
  };
}

/** Returns the index of the first line that is not less than a text, in a sorted list. */
function lineFrom(lines: readonly string[], text: string): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lines[middle] as string) < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns a test of conditions on the time. Parses them on first use, because computing local times is slow. */
function period({ from, until, time_zone }: RuleConditions): Entry["appliesAt"] {
  if (from === undefined && until === undefined) return () => true;
  let instants: readonly [number, number] | undefined;
  return (now) => {
    instants ??= [
      from === undefined ? Number.NEGATIVE_INFINITY : instantOf(from, time_zone),
      until === undefined ? Number.POSITIVE_INFINITY : instantOf(until, time_zone),
    ];
    return now >= instants[0] && now < instants[1];
  };
}

interface Comparable extends SearchFacts {
  /** Returns the values by which the body filters each field. Parses the body on the first call. */
  filters: () => ReadonlyMap<string, ReadonlySet<string>>;
}

function comparable(facts: SearchFacts): Comparable {
  let filters: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return {
    ...facts,
    filters: () => {
      filters ??= filterValues(facts.native);
      return filters;
    },
  };
}

/** Returns whether a search fulfils the conditions other than text and time. */
function holds(
  { templates, params, filters, indexes, keys, segments, experiment }: RuleConditions,
  search: Comparable,
): boolean {
  if (indexes && !search.names.some((name) => indexes.some((pattern) => isOf(name, pattern)))) return false;
  if (templates && (search.template == null || !templates.includes(search.template))) return false;
  if (keys && !keys.includes(search.key)) return false;
  if (segments && !search.segments?.some((name) => segments.includes(name))) return false;
  if (experiment) {
    if (search.experiment?.name !== experiment.name) return false;
    if (!experiment.variants.includes(search.experiment.variant)) return false;
  }
  if (params && search.template == null) return false;
  if (params?.some(({ name, values }) => !isAmong([search.params?.[name]].flat(), values))) return false;
  return !filters?.some(
    ({ field, values }) => !values.some((value) => search.filters().get(field)?.has(String(value))),
  );
}

const isOf = (name: string, pattern: string): boolean =>
  isPrefix(pattern) ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Returns whether one of the search's values equals one of the rule's, compared as text. */
const isAmong = (given: readonly unknown[], values: readonly unknown[]): boolean =>
  given.some((one) => one != null && values.some((value) => String(value) === String(one)));

/** Returns the values of `term` and `terms` queries below `filter` and `post_filter`, by field. */
function filterValues({ query, filter, post_filter }: SearchFacts["native"]): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  const add = (field: string, value: unknown) => {
    const set = values.get(field) ?? new Set();
    for (const one of [value].flat()) if (!isObject(one)) set.add(String(one));
    values.set(field, set);
  };
  const walk = (value: unknown, isFilter: boolean): void => {
    if (Array.isArray(value)) for (const one of value) walk(one, isFilter);
    if (!isObject(value)) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === "must_not") continue;
      if (isFilter && (key === "term" || key === "terms") && isObject(member)) {
        for (const [field, one] of Object.entries(member)) add(field, isObject(one) ? one.value : one);
      } else walk(member, isFilter || key === "filter");
    }
  };
  walk(query, false);
  walk([filter, post_filter], true);
  return values;
}
