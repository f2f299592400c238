import * as assert from "uvu/assert";
import { bodyWithText } from "../../../../lib/search/queries/replace-text.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/queries/replace-text");

const MATCH = { match: { title: "shoes" } };
const LONG = { match: { title: { query: "shoes", analyzer: "shoes" } } };
const bool = (clauses: object) => ({ bool: clauses });

/** Bodies in which \`@\` marks each text of the search. */
const PLACES: Record<string, object> = {
  "a query of a field": { query: { match: { shoes: "@" } } },
  "a query with options": { query: { match_phrase: { title: { query: "@", analyzer: "shoes" } } } },
  "a query of several fields": { query: { multi_match: { query: "@", fields: ["shoes"] } } },
  "a text that the cluster embeds": { query: { neural: { title: { query_text: "@", filter: MATCH } } } },
  "must and should, not filter and must_not": {
    query: bool({
      must: [{ match: { title: "@" } }],
      should: { match: { title: "@" } },
      filter: MATCH,
      must_not: [LONG],
    }),
  },
  "a hybrid query": { query: { hybrid: { queries: [{ match: { title: "@" } }, { knn: { v: { filter: MATCH } } }] } } },
  "a score around it": {
    query: { function_score: { query: { match: { title: "@" } }, functions: [{ filter: MATCH }] } },
  },
  rescoring: { rescore: [{ window_size: 5, query: { rescore_query: { match: { title: "@" } }, query_weight: 2 } }] },
};

for (const [what, body] of Object.entries(PLACES)) {
  test(`replaces the text in ${what}`, () => {
    const marked = JSON.stringify({ ...body, post_filter: MATCH });
    const withText = (text: string) => marked.replaceAll("@", text);
    assert.is(bodyWithText(withText("shoes"), "shoes", "sneakers"), withText("sneakers"));
  });
}

for (const [what, query] of Object.entries({
  "filters and exclusions": bool({ filter: [MATCH], must_not: [LONG] }),
  "queries of a value": bool({ must: [{ term: { cat: "shoes" } }, { prefix: { cat: { value: "shoes" } } }] }),
  "names and options": { match: { shoes: { query: "red shoes", analyzer: "shoes" } } },
  "longer texts": { match: { title: "shoes " } },
})) {
  test(`leaves ${what} alone`, () => {
    assert.is(bodyWithText(JSON.stringify({ query }), "shoes", "sneakers"), undefined);
  });
}

test("keeps the bytes of everything else", () => {
  const body = '{ "size":1.0, "query":{"match":{"title":"a"}}, "sort":[9007199254740993] }';
  assert.is(bodyWithText(body, "a", "b"), body.replace('"a"', '"b"'));
});

test.run();
