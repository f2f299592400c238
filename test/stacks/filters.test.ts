import * as assert from "uvu/assert";
import * as v from "valibot";
import { FilterInput } from "../../lib/personalize/resources/request.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { type Stack, synth } from "./support.ts";

const test = suite("stacks: filters");

interface Invocation {
  input: string;
  triggers: { suffix: string };
  lifecycle: { create_before_destroy?: boolean; prevent_destroy?: boolean };
}

const stack = synth("filters", { config: recommendation() });
const invocation = (id: string, of: Stack = stack) => of.resource<Invocation>("aws_lambda_invocation", id);
const inputOf = (id: string, of?: Stack) => JSON.parse(invocation(id, of).input);

test("takes a filter's address from its name, and its trigger from its expression", () => {
  assert.equal(stack.ids("aws_lambda_invocation"), ["filter-category", "filter-not_purchased"]);
  const { name } = v.parse(FilterInput, inputOf("filter-category"));
  const { triggers } = invocation("filter-category");
  assert.match(triggers.suffix, /^\d{10}$/);
  assert.is(name, `my-project-category-${triggers.suffix}`);
});

test("replaces only the filter whose expression changed, creating the new one first", () => {
  const expression = "EXCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)";
  const changed = synth("filters", {
    config: recommendation([["filter.yaml", ["filters", 0, "expression"], expression]]),
  });
  assert.equal(changed.ids("aws_lambda_invocation"), stack.ids("aws_lambda_invocation"));
  const now = invocation("filter-category", changed);
  assert.is.not(now.triggers.suffix, invocation("filter-category").triggers.suffix);
  assert.is(now.lifecycle.create_before_destroy, true);
  assert.is(inputOf("filter-category", changed).expression, expression);
  assert.equal(invocation("filter-not_purchased", changed), invocation("filter-not_purchased"));
});

test("allows the deletion of a filter that is removed from filter.yaml, through its applied input", () => {
  const fewer = synth("filters", { config: recommendation([["filter.yaml", ["filters", 1], undefined]]) });
  assert.equal(fewer.ids("aws_lambda_invocation"), ["filter-category"]);
  const { lifecycle } = invocation("filter-not_purchased");
  assert.is(lifecycle.prevent_destroy, undefined);
  assert.is(inputOf("filter-not_purchased").deletable, true);
});

test("escapes Terraform's interpolations in an expression", () => {
  const expression = `EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("${"$"}{x}", "%{y}")`;
  const odd = synth("filters", { config: recommendation([["filter.yaml", ["filters", 1, "expression"], expression]]) });
  const { input } = invocation("filter-not_purchased", odd);
  assert.ok(input.includes(`$${"$"}{x}`) && input.includes("%%{y}"), input);
});

test("is empty without filters", () => {
  const none = synth("filters", { config: recommendation([["filter.yaml", ["filters"], []]]) });
  assert.equal(none.ids("aws_lambda_invocation"), []);
});

test.run();
