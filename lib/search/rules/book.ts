import type { Rule, RuleConditions } from "../../config/rules.ts";
import { isObject } from "../../core/json/values.ts";
import { wordsOf } from "../../core/words.ts";
import { instantOf } from "../../core/zoned-time.ts";

/** What rules are compared with. */
export interface SearchFacts {
  /** What the user typed. */
  text: string | null | undefined;
  /** The index expression, as the request has it. */
  index: string;
  template: string | null | undefined;
  params: Readonly<Record<string, unknown>> | null | undefined;
  /** The native body: the request's own, or what its template becomes. */
  native: Readonly<Record<string, unknown>>;
  /** Name of the caller's key. */
  key: string;
  /** The variant of an experiment that the search is part of. */
  experiment?: { name: string; variant: string } | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

/** Rules that are indexed by their texts, so that a search is not compared with all of them. */
export interface RuleBook {
  /** Returns the rules that apply to a search, in their order. */
  matching(facts: SearchFacts): Rule[];
}

/** A rule with what its conditions are compared as. */
interface Entry {
  rule: Rule;
  /** Its place in the order of rules. */
  order: number;
  from: number;
  until: number;
}

/** Words of a phrase that follow the first one. */
interface Phrase {
  entry: Entry;
  words: readonly string[];
}

/** Returns the rules as they are looked up: by priority, then in the order of the list. */
export function ruleBook(rules: readonly Rule[]): RuleBook {
  const entries = rules
    .toSorted((a, b) => b.priority - a.priority)
    .map((rule, order): Entry => {
      const { from, until, time_zone } = rule.when;
      return {
        rule,
        order,
        from: from === undefined ? Number.NEGATIVE_INFINITY : instantOf(from, time_zone),
        until: until === undefined ? Number.POSITIVE_INFINITY : instantOf(until, time_zone),
      };
    });
  const others: Entry[] = [];
  const byText = new Map<string, Entry[]>();
  const byFirstWord = new Map<string, Phrase[]>();
  const byParam = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { text, params: [param] = [] } = entry.rule.when;
    if (!text && !param) others.push(entry);
    if (!text && param) for (const value of param.values) listIn(byParam, `${param.name}=${value}`).push(entry);
    for (const one of text?.is ?? []) listIn(byText, wordsOf(one).join(" ")).push(entry);
    for (const one of text?.contains ?? []) {
      const [first = "", ...words] = wordsOf(one);
      listIn(byFirstWord, first).push({ entry, words });
    }
  }

  /** Returns the rules whose condition on the text holds, or without one, that on the first parameter. */
  function selected({ text, params }: SearchFacts): Set<Entry> {
    const words = text == null ? [] : wordsOf(text);
    const found = new Set(words.length > 0 ? byText.get(words.join(" ")) : undefined);
    for (const [name, given] of byParam.size > 0 ? Object.entries(params ?? {}) : []) {
      for (const value of [given].flat()) for (const entry of byParam.get(`${name}=${value}`) ?? []) found.add(entry);
    }
    for (const [at, word] of words.entries()) {
      for (const { entry, words: rest } of byFirstWord.get(word) ?? []) {
        if (rest.every((one, next) => words[at + 1 + next] === one)) found.add(entry);
      }
    }
    return found;
  }

  return {
    matching(facts) {
      const search = comparable(facts);
      const applies = ({ rule, from, until }: Entry) =>
        facts.now >= from && facts.now < until && holds(rule.when, search);
      return [...[...selected(facts)].filter(applies), ...others.filter(applies)]
        .sort((a, b) => a.order - b.order)
        .map(({ rule }) => rule);
    },
  };
}

function listIn<T>(map: Map<string, T[]>, key: string): T[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

interface Comparable extends SearchFacts {
  names: readonly string[];
  /** Returns the values by which the body filters a field. Reads the body when it is first called. */
  filtersOn: (field: string) => ReadonlySet<string> | undefined;
}

function comparable(facts: SearchFacts): Comparable {
  let filters: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return {
    ...facts,
    // What the list excludes is not searched.
    names: facts.index.split(",").filter((name) => !name.startsWith("-")),
    filtersOn: (field) => {
      filters ??= filterValues(facts.native);
      return filters.get(field);
    },
  };
}

/** Returns whether the conditions besides the text and the time hold. */
function holds({ templates, params, filters, indexes, keys, experiment }: RuleConditions, search: Comparable): boolean {
  if (indexes && !search.names.some((name) => indexes.some((pattern) => isOf(name, pattern)))) return false;
  if (templates && (search.template == null || !templates.includes(search.template))) return false;
  if (keys && !keys.includes(search.key)) return false;
  if (experiment) {
    if (search.experiment?.name !== experiment.name) return false;
    if (!experiment.variants.includes(search.experiment.variant)) return false;
  }
  if (params && search.template == null) return false;
  if (params?.some(({ name, values }) => !isAmong([search.params?.[name]].flat(), values))) return false;
  return !filters?.some(({ field, values }) => !values.some((value) => search.filtersOn(field)?.has(String(value))));
}

const isOf = (name: string, pattern: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Returns whether one of the given values is one of a rule's, written alike. */
const isAmong = (given: readonly unknown[], values: readonly unknown[]): boolean =>
  given.some((one) => one != null && values.some((value) => String(value) === String(one)));

/** Returns the values of `term` and `terms` queries below `filter` and `post_filter`, by field. */
function filterValues({ query, post_filter }: SearchFacts["native"]): Map<string, Set<string>> {
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
  walk(post_filter, true);
  return values;
}
