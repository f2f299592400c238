import * as assert from "uvu/assert";
import type { KeyRules } from "../../../../lib/core/http/access.ts";
import { requireTemplate } from "../../../../lib/search/access/templates.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/access/templates");

const key = (...templates: string[]): KeyRules => ({ name: "shop", endpoints: ["search"], templates });

function refusal(caller: KeyRules, template: string | null, query = {}): string {
  try {
    requireTemplate(caller, template, query);
    return "";
  } catch (error) {
    const { message, issues } = error as { message: string; issues: object };
    return `${message} ${JSON.stringify(issues)}`;
  }
}

test("a key of templates may send these alone, which the refusal names", () => {
  assert.is(refusal(key("words"), "words"), "");
  assert.match(refusal(key("words"), "meaning"), "it may only send the template words");
  assert.match(refusal(key("words", "meaning"), null), "it may only send the templates words and meaning");
  assert.is(refusal({ name: "k", endpoints: ["search"] }, null), "");
});

test("the text of a template's search has a longest length", () => {
  assert.is(refusal(key("words"), "words", { user_query: "a".repeat(10), search_query: null }), "");
  assert.match(refusal(key("words"), "words", { user_query: "a".repeat(1_000_000) }), /user_query.*must have at most/);
});

test.run();
