import { suite } from "../../suite.ts";
import { type Changes, testRules } from "./rules.ts";
import { body, example, key, keys, matching, page, SIZE, TEXT, templates } from "./template-example.ts";

const test = suite("checks of keys that may send templates alone");

testRules(test, example, [
  {
    rule: "a key has templates alone",
    good: { ...templates(page(matching("[params.q]"), TEXT)), ...key() },
    bad: {
      ...templates(page(matching("[params.q]"), TEXT)),
      ...keys({
        name: "page",
        endpoints: ["search", "bulk", "raw-backend", "administration"],
        templates: ["page", "page"],
        raw_backend: "recommended",
        scripts: false,
      }),
    },
    problems: [
      "api.yaml keys[0].indexes is missing: the templates of this key would search every index",
      'api.yaml keys[0].endpoints[1] "bulk" takes more than templates: remove one of the two',
      'api.yaml keys[0].endpoints[2] "raw-backend" takes more than templates: remove one of the two',
      'api.yaml keys[0].endpoints[3] "administration" takes more than templates: remove one of the two',
      'api.yaml keys[0].templates[1] "page" appears twice',
      "api.yaml keys[0].raw_backend has no effect: the key may only send templates",
      "api.yaml keys[0].scripts has no effect: the key may only send templates",
    ],
  },
  {
    rule: "the templates of a key exist, declare their parameters, and are for its endpoints",
    good: {
      ...templates(page(matching("[search_query]")), { ...page(matching("[params.q]"), TEXT), name: "b" }),
      ...key({ templates: ["page", "b"] }),
    },
    bad: {
      ...templates(
        { name: "page", search_request_template: matching("[params.q]") },
        { name: "b", search_request_template: { query: { hybrid: { queries: [{ match_all: {} }] } } } },
      ),
      ...key({ templates: ["page", "b", "c"] }),
    },
    problems: [
      'api.yaml keys[0].templates[0] "page" has parameters that are not declared: list them in parameters of the template',
      'api.yaml keys[0].templates[1] "b" needs the endpoint hybrid-search',
      'api.yaml keys[0].templates[2] "c" is not in templates of hybrid_search.yaml: did you mean "b"? There are page, b',
    ],
  },
  {
    rule: "an experiment gives the users of a key only its templates",
    good: { ...experiment(), ...key({ endpoints: ["hybrid-search"], templates: ["page", "b"] }) },
    bad: { ...experiment(), ...key({ endpoints: ["hybrid-search"], templates: ["page"] }) },
    problems: 'api.yaml keys[0].templates[0] "page" can become "b" by the experiment x: add it here',
  },
  {
    rule: "a number in a template of a key has a range, unless documents are searched for it",
    good: {
      ...templates(
        page({ size: "[params.size]", query: { range: { price: { lte: "[params.p]" } } } }, SIZE, {
          name: "p",
          type: "number",
        }),
      ),
      ...key(),
    },
    bad: {
      ...templates(
        page(
          { size: "[params.size]", query: { knn: { v: { vector: [1], k: "[params.k]" } } } },
          { name: "size", type: "number" },
          { name: "k", type: "number", max: 5 },
        ),
      ),
      ...key(),
    },
    problems: [
      `${body}.size needs min and max in the parameter size: the key page may use it`,
      `${body}.query.knn.v.k needs min and max in the parameter k: the key page may use it`,
    ],
  },
  {
    rule: "the fields that decide the order of a key's hits are shown",
    good: { ...templates(page({ ...matching("[params.q]"), _source: ["title", "desc*"] }, TEXT)), ...key() },
    bad: {
      ...templates(page({ ...matching("[params.q]"), _source: ["title"] }, TEXT)),
      ...key({ indexes: ["prod*"] }),
    },
    problems:
      'api.yaml keys[0].templates[0] "page" does not show description, by which hits of products are reranked: their order would tell what it holds. Show it, or set by_default: false',
  },
  {
    rule: "no value of a key's template goes into a script",
    good: {
      ...templates(
        page({ query: { script_score: { query: { term: { script: "[params.q]" } }, script: { source: "1" } } } }, TEXT),
      ),
      ...key(),
    },
    bad: {
      ...templates(
        page(
          {
            query: {
              script_score: { query: { match_all: {} }, script: { source: "1", params: { n: "[params.size]" } } },
            },
          },
          SIZE,
        ),
      ),
      ...key(),
    },
    problems: `${body}.query.script_score.script.params.n cannot be in a script: the key page may use it`,
  },
  {
    rule: "the text of the search is no pattern",
    good: { ...templates(page({ query: { multi_match: { query: "[search_query]", fields: ["title"] } } })), ...key() },
    bad: { ...templates(page({ query: { query_string: { query: "[search_query]" } } })), ...key() },
    problems: `${body}.query.query_string.query can be any text, which the cluster may read as more than a text here: the key page may use it`,
  },
  {
    rule: "calls of a key with indexes are the recommended ones",
    good: keys(
      { name: "a", endpoints: ["raw-backend"], indexes: ["products"], raw_backend: ["recommended"] },
      { name: "b", endpoints: ["raw-backend"], raw_backend: ["GET /_cat/indices"] },
    ),
    bad: keys(
      {
        name: "a",
        endpoints: ["raw-backend"],
        indexes: ["products"],
        raw_backend: ["recommended", "GET /_cat/indices"],
      },
      { name: "b", endpoints: ["raw-backend"], indexes: ["products"], raw_backend: "all" },
    ),
    problems: [
      "api.yaml keys[0].raw_backend[1] reaches indexes that are not in indexes: remove one of the two",
      "api.yaml keys[1].raw_backend reaches indexes that are not in indexes: remove one of the two",
    ],
  },
]);

function experiment(): Changes {
  const query = { query: { hybrid: { queries: [{ match: { title: "[search_query]" } }] } } };
  const variants = ["page", "b"].map((name) => ({ name, share: 0.5, template: name }));
  return {
    ...templates(page(query), { ...page(query), name: "b" }),
    "hybrid_search.yaml experiments": [{ name: "x", index: "products", variants }],
  };
}

test.run();
