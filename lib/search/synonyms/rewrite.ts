import { isObject, numberOf } from "../../platform/json/values.ts";
import { wordsOf } from "../../platform/words.ts";
import { MAX_ALTERNATIVES } from "../../settings/synonyms.ts";
import { mapScoring } from "../queries/scoring.ts";
import { type Lexicon, type Span, spansOf } from "./lexicon.ts";

/** A query with the synonyms of its words. */
export interface Rewriting {
  query: unknown;
  /** Synonyms that are also searched, by the words of the query. */
  words: ReadonlyMap<string, readonly string[]>;
  /** Number of added clauses. */
  alternatives: number;
  /** Number of clauses with synonyms for which the query had no room. */
  left: number;
}

/** The longest text of a clause that is rewritten, in characters. Longer texts are not typed by users. */
const MAX_TEXT = 1_000;

/** The most characters that a rewriting adds to a query. */
const MAX_ADDED = 200_000;

/** Types of `multi_match` that are rewritten. In others, the last word is a prefix. */
const WHOLE_WORDS: readonly unknown[] = [undefined, "best_fields", "most_fields", "cross_fields", "phrase"];

/**
 * Returns a query in which `match`, `multi_match` and `match_phrase` clauses with synonyms are each a `dis_max` of the clause
 * itself and of its alternatives: the same clause with other words. Undefined if no clause has synonyms.
 */
export function rewriting(query: unknown, lexicons: readonly Lexicon[]): Rewriting | undefined {
  const words = new Map<string, readonly string[]>();
  const counts = { alternatives: 0, left: 0, room: MAX_ADDED };

  const clause = (kind: string, value: Clause): unknown => {
    const original = { [kind]: value.whole };
    if (value.text.length > MAX_TEXT) return original;
    const spans = spansOf(value.text, lexicons);
    if (spans.length === 0) return original;
    const variants = variantsOf(value.text, spans).map((variant) => alternative(kind, value, variant));
    const size = JSON.stringify(variants).length;
    if (size > counts.room) {
      counts.left += 1;
      return original;
    }
    counts.room -= size;
    counts.alternatives += variants.length;
    for (const { start, end, alternatives } of spans) {
      words.set(
        value.text.slice(start, end),
        alternatives.map(({ text }) => text),
      );
    }
    const { _name, ...own } = value.options;
    return {
      dis_max: {
        queries: [_name === undefined ? original : { [kind]: value.wrap(own) }, ...variants],
        // Only one clause keeps the name, because clauses of equal names hide one another.
        ...(_name !== undefined && { _name }),
      },
    };
  };

  const rewritten = mapScoring(query, (kind, inner) => {
    const read = clauseOf(kind, inner);
    return read && clause(kind, read);
  });
  const { alternatives, left } = counts;
  return alternatives + left === 0 ? undefined : { query: rewritten, words, alternatives, left };
}

/** A clause that may be rewritten. */
interface Clause {
  text: string;
  /** Members of the clause besides its text. */
  options: Readonly<Record<string, unknown>>;
  /** The value of the clause as in the request. */
  whole: unknown;
  /** Returns the value of a clause with these options on the same fields. */
  wrap: (options: Readonly<Record<string, unknown>>) => unknown;
  /** Whether the clause requires its words in order. */
  isPhrase: boolean;
  /** Returns a clause that looks for a phrase in the same fields. */
  phrase: (text: string) => unknown;
}

function clauseOf(kind: string, value: Record<string, unknown>): Clause | undefined {
  if (kind === "multi_match") return multiMatch(value);
  if (kind !== "match" && kind !== "match_phrase") return undefined;
  const [[field, given] = [], ...others] = Object.entries(value);
  if (field === undefined || others.length > 0) return undefined;
  const options = typeof given === "string" ? { query: given } : given;
  if (!isObject(options) || typeof options.query !== "string") return undefined;
  return {
    text: options.query,
    options,
    whole: value,
    wrap: (changed) => ({ [field]: changed }),
    isPhrase: kind === "match_phrase",
    phrase: (query) => ({ match_phrase: { [field]: { query, ...picked(options, ["analyzer"]) } } }),
  };
}

function multiMatch(value: Record<string, unknown>): Clause | undefined {
  const { query, type } = value;
  if (typeof query !== "string" || !WHOLE_WORDS.includes(type)) return undefined;
  return {
    text: query,
    options: value,
    whole: value,
    wrap: (changed) => changed,
    isPhrase: type === "phrase",
    phrase: (text) => ({
      multi_match: { query: text, type: "phrase", ...picked(value, ["fields", "analyzer", "lenient"]) },
    }),
  };
}

const picked = (options: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));

/** A text with replaced words, and those replacements of several words that documents must contain in this order. */
interface Variant {
  text: string;
  phrases: readonly string[];
}

/** Returns the clause with another text. Its phrases must occur in the document as phrases, without scoring. */
function alternative(kind: string, clause: Clause, { text, phrases }: Variant): unknown {
  const { _name, minimum_should_match: least, zero_terms_query: zero, ...options } = clause.options;
  const count = numberOf(least);
  const same = {
    [kind]: clause.wrap({
      ...options,
      query: text,
      // If fewer words remain than the number that must match, nothing would be found.
      ...(least !== undefined && {
        minimum_should_match: count > 0 ? Math.min(count, wordsOf(text).length) : least,
      }),
      // An alternative of only stop words must not match every document.
      ...(zero !== undefined && { zero_terms_query: "none" }),
    }),
  };
  if (clause.isPhrase || phrases.length === 0) return same;
  return { bool: { must: [same], filter: phrases.map(clause.phrase) } };
}

/** Returns the texts in which one or more spans are replaced by alternatives, fewest changes first. */
function variantsOf(text: string, spans: readonly Span[]): Variant[] {
  type Choice = ReadonlyArray<{ span: number; text: string; words: number }>;
  const chosen: Choice[] = [[]];
  for (let at = 0; at < chosen.length && chosen.length <= MAX_ALTERNATIVES; at += 1) {
    const before = chosen[at] ?? [];
    for (let span = (before.at(-1)?.span ?? -1) + 1; span < spans.length; span += 1) {
      for (const one of spans[span]?.alternatives ?? []) chosen.push([...before, { span, ...one }]);
    }
  }
  return chosen.slice(1, MAX_ALTERNATIVES + 1).map((choice) => {
    let end = 0;
    let changed = "";
    for (const { span, text: other } of choice) {
      const { start, end: after } = spans[span] as Span;
      changed += text.slice(end, start) + other;
      end = after;
    }
    const phrases = choice.filter(({ words }) => words > 1).map((one) => one.text);
    return { text: changed + text.slice(end), phrases };
  });
}
