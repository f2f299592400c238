import * as assert from "uvu/assert";
import { formatProblem } from "../../../lib/settings/problem.ts";
import { configurationFiles } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";
import { changed, fullExample, valid } from "./example.ts";

const test = suite("warnings of a configuration");

test("the full example has none", () => {
  assert.equal(valid(fullExample()).warnings, []);
});

const ENTRY = {
  index: "books",
  embedding_mappings: [{ embedding_field: "dense", model_name: "ext_embed_bedrock", src_fields: ["title"] }],
};
const LIMITS = { query_concurrency: 1, document_concurrency: 1, query_timeout_ms: 500, document_timeout_ms: 500 };
const MODEL = { ext_embed_bedrock: { model_id: "amazon.titan-embed-text-v2:0", dimension: 256, ...LIMITS } };
const FILTER = { term: { a: 1 } };
const MATCH = { match: { title: "[search_query]" } };
const FILTERED = { bool: { must: [MATCH], filter: [FILTER] } };
const KNN = { knn: { dense: { vector: "[dense]", k: 5, filter: FILTER } } };
const variants = [0.5, 0.5].map((share, at) => ({ name: `v${at}`, share, settings: { weights: [at, 1 - at] } }));

/** Returns hybrid_search.yaml with a template of these subqueries. */
const hybrid = (queries: unknown[], more: object = {}) => ({
  templates: [{ name: "meaning", search_request_template: { query: { hybrid: { queries, ...more } } } }],
});
const synonyms = (section: object) => ({ hybrid_queries: [{ ...ENTRY, synonyms: section }] });
const lacking = (subquery: number, other: number) =>
  `hybrid_search.yaml  templates[0].search_request_template.query.hybrid.queries[${subquery - 1}]  subquery ${other} has a filter and subquery ${subquery} has none, so hits need not pass it: write it as filter beside queries, for all of them`;
const NOT_KNOWN = "is no index of hybrid_queries in hybrid_search.yaml";

for (const [what, hybridSearch, warnings, [file, path, value] = []] of [
  [
    "a region",
    {},
    [
      'project.yaml  terraform.state.region  "eu-wset-1" is no region that this version knows: did you mean "eu-west-1"?',
    ],
    ["project.yaml", ["terraform"], { state: { type: "s3", bucket: "terraform-state", region: "eu-wset-1" } }],
  ],
  [
    "indexes of keys",
    { hybrid_queries: [ENTRY, { ...ENTRY, index: "logs-*" }] },
    [`api.yaml  keys[0].indexes[0]  "book" ${NOT_KNOWN}: did you mean "books"?`],
    [
      "api.yaml",
      ["keys"],
      [{ name: "shop", endpoints: ["search"], indexes: ["book", "other", "books", "boo*", "logs-5"] }],
    ],
  ],
  [
    "indexes of experiments",
    { experiments: [{ name: "more", index: "bokos", variants }] },
    [`hybrid_search.yaml  experiments[0].index  "bokos" ${NOT_KNOWN}: did you mean "books"?`],
  ],
  [
    "texts that are nearly tokens",
    hybrid([{ match: { title: "[search_qurey]" } }, { match: { title: "[brackets]" } }]),
    [
      'hybrid_search.yaml  templates[0].search_request_template.query.hybrid.queries[0].match.title  "[search_qurey]" is no token, so it stays this text: did you mean "[search_query]"?',
    ],
  ],
  ["a filter of one subquery", hybrid([FILTERED, MATCH]), [lacking(2, 1)]],
  ["a filter of knn alone", hybrid([MATCH, KNN]), [lacking(1, 2)]],
  [
    "nothing if all subqueries have one",
    hybrid([FILTERED, KNN, { function_score: { query: { bool: { must: FILTERED } } } }]),
    [],
  ],
  ["nothing if it stands beside the subqueries", hybrid([FILTERED, MATCH], { filter: FILTER }), []],
  [
    "locales, and a file without synonyms",
    synonyms({
      files: [
        { file: "a.txt", locale: "german" },
        { file: "b.txt", locale: "pt-BR" },
      ],
      default_locale: "german",
    }),
    [
      'hybrid_search.yaml  hybrid_queries[0].synonyms.files[0].locale  "german" starts with no known language: did you mean "de"?',
      'hybrid_search.yaml  hybrid_queries[0].synonyms.default_locale  "german" starts with no known language: did you mean "de"?',
      "a.txt  has no rule, so searches get no synonyms of it",
    ],
  ],
] as const) {
  test(`warns of ${what}`, () => {
    const minimal = configurationFiles("minimal");
    const files = {
      ...(file === undefined ? minimal : changed(minimal, file, path ?? [], value)),
      ...{ "model.yaml": JSON.stringify(MODEL), "a.txt": "# nothing yet\n", "b.txt": "a, b\n" },
      "hybrid_search.yaml": JSON.stringify({ hybrid_queries: [ENTRY], ...hybridSearch }, undefined, 1),
    };
    const found = valid(files).warnings.map((one) => formatProblem({ ...one, line: undefined }));
    assert.equal(
      found,
      warnings.map((one) => `conf/${one}`),
    );
  });
}

test.run();
