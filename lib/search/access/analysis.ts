import { isLinearPattern, NOT_LINEAR } from "../../platform/json/linear-pattern.ts";
import { COSTLY, isCostlyRegexp } from "../../platform/json/regexp-cost.ts";
import { isObject } from "../../platform/json/values.ts";
import { type Component, type Components, Growth, MAX_GROWTH } from "./analysis-growth.ts";
import { firstOf, type Refusal, refusal, shown } from "./names.ts";

const KINDS = new Set(["analyzer", "normalizer", "tokenizer", "filter", "char_filter"]);

/** Types that read files of the node regardless of their parameters. */
const FILE_TYPES = new Set(["hunspell", "hyphenation_decompounder", "icu_collation"]);

/** Types that run a script. */
const SCRIPT_TYPES = new Set(["condition", "predicate_token_filter"]);

/** Parameters whose values cannot name a file, and cost no more than the text that they analyze. */
const FREE = new Set(
  `type tokenizer filter char_filter filters normalizer language lang name mode encoder format side lowercase ignore_case
  stopwords stopwords_case stem_exclusion remove_trailing keywords keywords_case keep_words keep_words_case common_words
  query_mode articles articles_case word_list only_longest_match no_sub_matches no_overlapping_matches min_word_size
  min_subword_size max_subword_size synonyms expand lenient updateable mappings rules types type_table protected_words
  token_chars custom_token_chars tokenize_on_chars escaped_tags ignored_scripts output_unigrams
  output_unigrams_if_no_shingles preserve_original only_on_same_position adjust_offsets generate_word_parts
  generate_number_parts catenate_words catenate_numbers catenate_all split_on_case_change split_on_numerics
  stem_english_possessive ignore_keywords enable_position_increments delimiter replacement skip reverse min max length
  max_token_count consume_all_tokens max_output_size separator with_rotation update_offsets replace
  max_code_len rule_type name_type languageset preserve_separators preserve_position_increments discard_punctuation
  discard_compound_token decompound_mode nbest_cost use_romaji stoptags minimum_length group position_increment_gap`.split(
    /\s+/,
  ),
);

/** Parameters that increase memory or work, with their maximum. */
const NUMBERS: Readonly<Record<string, number>> = {
  min_gram: 256,
  max_gram: 256,
  min_shingle_size: 32,
  max_shingle_size: 32,
  max_token_length: 65_536,
  buffer_size: 65_536,
  hash_count: 16,
  bucket_count: 1_024,
  hash_set_size: 16,
  max_graph_expansions: 10_000,
};

/** Parameters whose text is added to each token. */
const SHORT = new Set(["token_separator", "filler_token"]);
const MAX_SHORT = 10;

const PATTERNS = new Set(["pattern", "patterns", "keywords_pattern"]);

/** Flags of java.util.regex that do not change the syntax of a pattern. */
const FLAGS = /^(|CASE_INSENSITIVE|UNICODE_CASE|UNICODE_CHARACTER_CLASS|DOTALL)$/;

/**
 * Returns why components of analyzers are refused: they read files of the node, run scripts, or may take very long.
 * Undefined if they are allowed.
 */
export function componentsRefusal(components: Components, scripts: boolean): Refusal | undefined {
  const growth = new Growth(components);
  return firstOf(components, ([kind, named]) =>
    KINDS.has(kind)
      ? firstOf(named.values(), (one) => {
          const grown = kind === "analyzer" || kind === "normalizer" ? growth.ofAnalyzer(one) : growth.of(one);
          return componentRefusal(one, scripts) ?? growthRefusal(grown);
        })
      : refusal("setting", `${shown(`analysis.${kind}`)} is not a setting that it may change`),
  );
}

function componentRefusal(component: Component, scripts: boolean): Refusal | undefined {
  const type = String(component.type ?? "custom");
  if (FILE_TYPES.has(type)) return refusal("analysis", `the type ${shown(type)} reads files`);
  if (!scripts && SCRIPT_TYPES.has(type)) return refusal("script", `the type ${shown(type)} runs a script`);
  return firstOf(Object.entries(component), ([name, value]) =>
    scripts && /^script(\.|$)/.test(name) ? undefined : parameterRefusal(type, name, value),
  );
}

function parameterRefusal(type: string, name: string, value: unknown): Refusal | undefined {
  const values = [value].flat();
  if (values.some((one) => typeof one === "object" && one !== null)) {
    return refusal("analysis", `${shown(name)} is not a text, a number, or a list of these`);
  }
  if (PATTERNS.has(name)) return firstOf(values, (one) => patternRefusal(type, String(one)));
  if (FREE.has(name)) return undefined;
  const most = Object.hasOwn(NUMBERS, name) ? NUMBERS[name] : undefined;
  if (most !== undefined) {
    if (values.every((one) => Number(one) <= most)) return undefined;
    return refusal("analysis", `${shown(name)} is more than ${most}`);
  }
  if (SHORT.has(name) && values.every((one) => String(one).length <= MAX_SHORT)) return undefined;
  if (
    name === "flags" &&
    values.every((one) =>
      String(one)
        .split("|")
        .every((flag) => FLAGS.test(flag)),
    )
  )
    return undefined;
  return refusal("analysis", `the parameter ${shown(name)} of ${shown(type)} is not among those that are let through`);
}

/**
 * Returns why a pattern is refused. The types `simple_pattern` and `simple_pattern_split` compile an automaton; the
 * others backtrack.
 */
function patternRefusal(type: string, pattern: string): Refusal | undefined {
  if (type.startsWith("simple")) {
    return isCostlyRegexp(pattern) ? refusal("analysis", `${shown(pattern)} ${COSTLY}`) : undefined;
  }
  return isLinearPattern(pattern) ? undefined : refusal("analysis", `${shown(pattern)} ${NOT_LINEAR}`);
}

function growthRefusal(growth: number): Refusal | undefined {
  if (growth <= MAX_GROWTH) return undefined;
  return refusal("analysis", `it may make more than ${MAX_GROWTH} tokens or characters of one`);
}

const ANALYZE = new Set("analyzer normalizer field text explain attributes tokenizer filter char_filter".split(" "));

/** Returns why a body of `_analyze` is refused. Its components are names or inline definitions. */
export function analyzeRefusal(body: Readonly<Record<string, unknown>>, scripts: boolean): Refusal | undefined {
  const other = Object.keys(body).find((key) => !ANALYZE.has(key));
  if (other !== undefined) return refusal("body", `${shown(other)} is not a part of _analyze`);
  const held = [body.tokenizer, body.filter, body.char_filter].flat().filter(isObject);
  return firstOf(held, (one) => componentRefusal(one, scripts)) ?? growthRefusal(new Growth().ofAnalyzer(body));
}
