import * as assert from "uvu/assert";
import type { KeyRules } from "../../../../lib/platform/http/access.ts";
import { PAGE_MEMBERS, requirePageRequest } from "../../../../lib/search/access/templates.ts";
import { NamedSearchRequest, SearchRequest } from "../../../../lib/search/run/request.ts";
import { HybridRequest } from "../../../../lib/search/sources/hybrid/request.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/access/templates");

const key = (...templates: string[]): KeyRules => ({ name: "shop", endpoints: ["search"], templates });

function refusal(caller: KeyRules, body: Readonly<Record<string, unknown>>): string {
  try {
    requirePageRequest({ caller, body, text: JSON.stringify(body) });
    return "";
  } catch (error) {
    const { message, issues } = error as { message: string; issues: object };
    return `${message} ${JSON.stringify(issues)}`;
  }
}

const AnySearch = { ...SearchRequest.entries, ...NamedSearchRequest.entries };

const named = (members: object = {}) => ({ index: "books", template: "words", ...members });

test("a key of templates may send these alone, which the refusal names", () => {
  assert.is(refusal(key("words"), named()), "");
  assert.match(refusal(key("words"), named({ template: "meaning" })), "it may only send the template words");
  assert.match(
    refusal(key("words", "meaning"), { index: "books" }),
    "it may only send the templates words and meaning",
  );
  assert.is(refusal({ name: "k", endpoints: ["search"] }, { index: "books", settings: {} }), "");
});

test("the text of a template's search has a longest length", () => {
  assert.is(refusal(key("words"), named({ user_query: "a".repeat(1_000), search_query: null })), "");
  for (const member of ["user_query", "search_query"]) {
    assert.match(refusal(key("words"), named({ [member]: "a".repeat(1_001) })), `"path":"${member}"`);
  }
});

/** A value of each member of a search, by its name. */
const VALUES: Readonly<Record<string, unknown>> = {
  ...{
    index: "books",
    template: "words",
    params: {},
    filter: {},
    user_query: "lamp",
    search_query: "lamp",
    user_id: "u",
  },
  ...{ segments: ["vip"], locale: "de-AT", personalization: "none", is_logging_enable: false },
  ...{ settings: { combination: "rrf" }, synonyms: false, no_hits: "search", rerank: {}, boost: {}, variety: {} },
  ...{ rule_set: "none", explain_stages: true, business_rules: {}, search_request: {}, search_request_template: {} },
};

test("of every member of a search, a key of templates may send those on the list, and null for any other", () => {
  const members = Object.keys({ ...AnySearch, ...HybridRequest.entries });
  assert.equal(Object.keys(VALUES).toSorted(), members.toSorted());
  for (const name of members) {
    const isListed = Object.hasOwn(PAGE_MEMBERS, name) || name === "business_rules";
    const found = refusal(key("words"), named({ [name]: VALUES[name] }));
    assert.equal([found === "", /"template" refuses/.test(found)], [isListed, !isListed], name);
    if (!isListed) assert.match(found, `without ${name}`);
    if (name !== "template") assert.is(refusal(key("words"), named({ [name]: null })), "", name);
  }
});

test("of the business rules, a key of templates may only say whether there is a personal order", () => {
  const rules = (business_rules: object) => refusal(key("words"), named({ business_rules }));
  assert.is(rules({ is_personalized_enabled: true, personalization_weight: null }), "");
  for (const [name, value] of [
    ["personalization_weight", 0],
    ["personalization_context", {}],
    ["personalization_filter_values", {}],
  ] as const) {
    assert.match(rules({ [name]: value }), `without business_rules.${name}`);
  }
});

test.run();
