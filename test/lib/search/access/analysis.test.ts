import * as assert from "uvu/assert";
import { analyze, mapping, newIndex, settings } from "../../../../lib/search/access/bodies.ts";
import { rightsOf } from "../../../../lib/search/access/rights.ts";
import { suite } from "../../../suite.ts";

const test = suite("analyzers and settings of limited keys");

const call = (body: unknown) => ({
  text: JSON.stringify(body),
  rights: rightsOf({}),
  hasIndex: true,
});

/** Returns the rules that refuse components in a new index, in settings in each spelling, and in `_analyze`. */
function rulesOf(kind: string, component: Readonly<Record<string, unknown>>) {
  const dotted = Object.fromEntries(
    Object.entries(component).map(([key, value]) => [`index.analysis.${kind}.x.${key}`, value]),
  );
  const nested = { analysis: { [kind]: { x: component } } };
  return [
    newIndex(call({ settings: nested })),
    newIndex(call({ settings: { index: nested } })),
    newIndex(call({ settings: dotted })),
    settings(call({ settings: { index: nested } })),
    settings(call(dotted)),
    ...(kind === "analyzer" || kind === "normalizer" ? [] : [analyze(call({ [kind]: [component], text: "a" }))]),
  ].map((found) => found?.rule);
}

const REFUSED: ReadonlyArray<[kind: string, component: Readonly<Record<string, unknown>>]> = [
  // Files.
  ["filter", { type: "synonym", synonyms_path: "x" }],
  ["filter", { type: "word_delimiter", type_table_path: "x" }],
  ["filter", { type: "word_delimiter_graph", protected_words_path: "x" }],
  ["filter", { type: "stemmer_override", rules_path: "x" }],
  ["filter", { type: "keep", keep_words_path: "x" }],
  ["filter", { type: "keyword_marker", keywords_path: "x" }],
  ["filter", { type: "stop", stopwords_path: "x" }],
  ["filter", { type: "elision", articles_path: "x" }],
  ["filter", { type: "common_grams", common_words_path: "x" }],
  ["filter", { type: "dictionary_decompounder", word_list_path: "x" }],
  ["filter", { type: "hyphenation_decompounder", hyphenation_patterns_path: "x" }],
  ["filter", { type: "hunspell", locale: "en_US" }],
  ["filter", { type: "hunspell", language: "en_US" }],
  ["filter", { type: "icu_collation", rules: "x" }],
  ["filter", { type: "icu_transform", id: "Any-Hex" }],
  ["char_filter", { type: "mapping", mappings_path: "x" }],
  ["tokenizer", { type: "icu_tokenizer", rule_files: "Latn:x" }],
  ["tokenizer", { type: "kuromoji_tokenizer", user_dictionary: "x" }],
  ["analyzer", { type: "standard", stopwords_path: "x" }],
  ["analyzer", { type: "english", stem_exclusion_path: "x" }],
  ["analyzer", { type: "nori", user_dictionary: "x" }],
  // Scripts.
  ["filter", { type: "condition", filter: "lowercase", script: { source: "true" } }],
  ["filter", { type: "predicate_token_filter", script: { source: "true" } }],
  // Patterns.
  ["analyzer", { type: "pattern", pattern: "(.*a){14}b" }],
  ["analyzer", { type: "pattern", pattern: "a", flags: "COMMENTS" }],
  ["tokenizer", { type: "pattern", pattern: "(.*a){14}b" }],
  ["tokenizer", { type: "simple_pattern", pattern: "(a{1000}){1000}" }],
  ["tokenizer", { type: "simple_pattern_split", pattern: "(a*){100}{100}" }],
  ["char_filter", { type: "pattern_replace", pattern: "(.*a){14}b", replacement: "" }],
  ["filter", { type: "pattern_replace", pattern: "(.*a){14}b" }],
  ["filter", { type: "pattern_capture", patterns: ["a", "(.*a){14}b"] }],
  ["filter", { type: "keyword_marker", keywords_pattern: "(.*a){14}b" }],
  // Sizes.
  ["tokenizer", { type: "keyword", buffer_size: 2_000_000_000 }],
  ["tokenizer", { type: "path_hierarchy", buffer_size: "2000000000" }],
  ["tokenizer", { type: "standard", max_token_length: 1_000_000_000 }],
  ["tokenizer", { type: "edge_ngram", min_gram: 1, max_gram: 100_000 }],
  ["filter", { type: "edgeNGram", max_gram: 100_000 }],
  ["filter", { type: "ngram", min_gram: 1, max_gram: 100_000 }],
  ["filter", { type: "shingle", max_shingle_size: 1_000 }],
  ["filter", { type: "shingle", filler_token: "x".repeat(100) }],
  ["filter", { type: "min_hash", hash_count: 100_000 }],
  ["filter", { type: "min_hash", bucket_count: 100_000_000 }],
  ["filter", { type: "synonym", synonyms: [`a => ${"b ".repeat(300)}`] }],
  ["filter", { type: "synonym_graph", synonyms: Array.from({ length: 300 }, (_, at) => `a => b${at}`) }],
  ["char_filter", { type: "mapping", mappings: [`a => ${"b".repeat(300)}`] }],
  ["char_filter", { type: "pattern_replace", pattern: ".", replacement: "$0".repeat(300) }],
  ["filter", { type: "multiplexer", filters: Array.from({ length: 300 }, () => "lowercase") }],
  ["filter", { type: "stop", unheard_of: true }],
];

for (const [kind, component] of REFUSED) {
  test(`refuses the ${kind} ${JSON.stringify(component).slice(0, 80)} in every spelling`, () => {
    const rules = rulesOf(kind, component);
    assert.equal(
      rules.filter((rule) => rule !== ("script" in component ? "script" : "analysis")),
      [],
    );
  });
}

const ACCEPTED: ReadonlyArray<[kind: string, component: Readonly<Record<string, unknown>>]> = [
  ["filter", { type: "synonym_graph", synonyms: ["tv, telly, television", "i-pod => ipod"], expand: true }],
  ["filter", { type: "word_delimiter_graph", type_table: ["$ => DIGIT"], catenate_all: true, preserve_original: true }],
  ["filter", { type: "edge_ngram", min_gram: "1", max_gram: "20" }],
  ["filter", { type: "ngram", min_gram: 2, max_gram: 20 }],
  ["filter", { type: "shingle", min_shingle_size: 2, max_shingle_size: 4, token_separator: " " }],
  ["filter", { type: "stop", stopwords: ["_english_", "foo"], ignore_case: true }],
  ["filter", { type: "pattern_capture", patterns: ["(\\d+)", "([^@]+)"], preserve_original: true }],
  ["filter", { type: "pattern_replace", pattern: "[^a-z]", replacement: "" }],
  ["filter", { type: "multiplexer", filters: ["lowercase", "lowercase, porter_stem"] }],
  ["filter", { type: "stemmer", language: "light_german" }],
  ["char_filter", { type: "mapping", mappings: [":) => _happy_"] }],
  ["tokenizer", { type: "pattern", pattern: ",", flags: "CASE_INSENSITIVE|DOTALL", group: -1 }],
  ["tokenizer", { type: "simple_pattern", pattern: "[0123456789]{3}" }],
  ["tokenizer", { type: "path_hierarchy", delimiter: "-", replacement: "/", skip: 2 }],
  ["analyzer", { type: "custom", tokenizer: "standard", filter: ["lowercase", "asciifolding"] }],
  ["normalizer", { type: "custom", filter: ["lowercase"] }],
];

for (const [kind, component] of ACCEPTED) {
  test(`accepts the ${kind} ${JSON.stringify(component).slice(0, 80)}`, () => {
    assert.equal(
      rulesOf(kind, component).filter((rule) => rule !== undefined),
      [],
    );
  });
}

test("filters of one analyzer multiply what each of them makes of a token", () => {
  const grams = { type: "ngram", min_gram: 1, max_gram: 17 };
  const index = (filter: readonly string[]) =>
    newIndex(
      call({
        settings: {
          analysis: {
            filter: { grams, many: { type: "multiplexer", filters: ["grams,grams"] } },
            analyzer: { a: { filter } },
          },
        },
      }),
    )?.rule;
  assert.is(index(["lowercase", "grams", "shingle"]), "analysis");
  assert.is(index(["grams", "grams"]), "analysis");
  assert.is(index(["many"]), "analysis");
  const analyzed = (filter: unknown) => analyze(call({ tokenizer: "keyword", filter, text: "a" }))?.rule;
  assert.is(analyzed([grams, grams]), "analysis");
  assert.is(analyzed(Array.from({ length: 9 }, () => "shingle")), "analysis");
  assert.is(analyzed(["mine", "mine", "mine"]), "analysis");
  assert.is(analyzed(["lowercase", "asciifolding", "stop", "porter_stem", "unique", "mine", "yours"]), undefined);
});

test("a multiplexer of multiplexers is refused", () => {
  const filter = { a: { type: "multiplexer", filters: ["b"] }, b: { type: "multiplexer", filters: ["a"] } };
  assert.is(settings(call({ analysis: { filter } }))?.rule, "analysis");
});

const setting = (name: string, value: unknown) => settings(call({ [name]: value }))?.rule;

test("settings that let an index use more of its nodes have limits", () => {
  for (const name of [
    ...["max_result_window", "max_inner_result_window", "max_rescore_window", "max_ngram_diff"],
    ...["max_shingle_diff", "max_docvalue_fields_search", "max_script_fields", "max_terms_count", "max_regex_length"],
    ...["max_adjacency_matrix_filters", "max_slices_per_scroll", "max_refresh_listeners", "allocation.max_retries"],
    ...[
      "analyze.max_token_count",
      "highlight.max_analyzed_offset",
      "mapping.total_fields.limit",
      "mapping.depth.limit",
    ],
    ...["mapping.nested_fields.limit", "mapping.nested_objects.limit", "merge.scheduler.max_thread_count"],
  ]) {
    for (const spelled of [name, `index.${name}`]) {
      assert.is(setting(spelled, 1), undefined, name);
      assert.is(setting(spelled, "1"), undefined, name);
      assert.is(setting(spelled, null), undefined, name);
      for (const value of [2_000_000_000, "2000000000", "x", [1, 2]])
        assert.is(setting(spelled, value), "setting", name);
    }
  }
  for (const [name, value] of [
    ["max_unheard_of", 1],
    ["refresh_interval", "1ms"],
    ["translog.flush_threshold_size", "100pb"],
    ["store.type", "remote_snapshot"],
    ["routing.allocation.require._name", null],
    ["analysis.unheard_of.x.type", "x"],
  ] as const) {
    assert.is(setting(name, value), "setting", name);
  }
});

test("settings that clients send back are accepted", () => {
  for (const [name, value] of [
    ["replication.type", "DOCUMENT"],
    ["store.type", "fs"],
    ["priority", "1"],
    ["allocation.max_retries", "5"],
    ["soft_deletes.enabled", "true"],
    ["write.wait_for_active_shards", "1"],
    ["creation_date", "1700000000000"],
    ["refresh_interval", "1s"],
    ["refresh_interval", "-1"],
    ["gc_deletes", "1h"],
    ["translog.flush_threshold_size", "1gb"],
    ["translog.retention.age", "12h"],
    ["merge.policy.max_merged_segment", "5gb"],
    ["similarity.default.type", "BM25"],
    ["knn", true],
    ["knn.algo_param.ef_search", 512],
  ] as const) {
    assert.is(setting(`index.${name}`, value), undefined, name);
  }
});

test("the method of a vector field has no parameter that takes much memory", () => {
  const field = (parameters: object) => ({
    properties: {
      method: { type: "keyword" },
      o: { properties: { v: { type: "knn_vector", method: { parameters } } } },
    },
  });
  const encoder = { name: "pq", parameters: { m: 1_000_000 } };
  for (const wrong of [{ ef_construction: 1_000_000_000 }, { m: "1000000" }, { encoder }]) {
    assert.is(mapping(call(field(wrong)))?.rule, "setting");
    assert.is(newIndex(call({ mappings: field(wrong) }))?.rule, "setting");
  }
  assert.is(mapping(call(field({ ef_construction: 512, m: 16 }))), undefined);
});

test("_analyze has no other members than those of the cluster", () => {
  assert.is(analyze(call({ analyzer: "standard", text: ["a"], explain: true, attributes: ["x"] })), undefined);
  assert.is(analyze(call({ normalizer: "lowercase", field: "a", text: "a" })), undefined);
  assert.is(analyze(call({ text: "a", index: ".x" }))?.rule, "body");
});

test.run();
