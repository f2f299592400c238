import * as assert from "uvu/assert";
import { splitProbability } from "../../../../../lib/platform/experiments/split.ts";
import type { Experiment } from "../../../../../lib/search/gateway/settings.ts";
import { capabilitiesOf } from "../../../../../lib/search/opensearch/capabilities.ts";
import { assignedVariant, canInterleave, canServe } from "../../../../../lib/search/sources/hybrid/experiment.ts";
import { suite } from "../../../../suite.ts";

const test = suite("experiments of hybrid search");

const NONE = { weights: null, normalization: null, combination: null };
const request = (change: object = {}, ...names: string[]) => ({
  ...{ index: "books", settings: NONE, template: null, user_id: null, ...change },
  indexes: (names.length > 0 ? names : ["books"]).map((name) => ({ name, names: [name] })),
});

const experiment = (name: string, variants: Experiment["variants"], index = "books"): Experiment => ({
  name,
  kind: "split",
  index,
  variants,
});
const thirds = (name: string, index?: string) =>
  experiment(
    name,
    ["a", "b", "c"].map((variant) => ({ name: variant, share: 1 / 3, settings: {} })),
    index,
  );
const variantOf = (one: Experiment, user: string) =>
  assignedVariant([one], request({ user_id: user }), undefined)?.variant;

const USERS = Array.from({ length: 6_000 }, (_, index) => `user-${index}`);

test("each user gets one variant, by shares", () => {
  const counts = Map.groupBy(USERS, (user) => variantOf(thirds("x"), user));
  assert.equal([...counts.keys()].toSorted(), ["a", "b", "c"]);
  const groups = [...counts.values()].map(({ length }) => ({ count: length, share: 1 }));
  assert.ok(splitProbability(groups) > 0.001);
  for (const user of USERS.slice(0, 100)) assert.is(variantOf(thirds("x"), user), variantOf(thirds("x"), user));
});

test("two experiments split users independently of each other", () => {
  const cells = Map.groupBy(USERS, (user) => `${variantOf(thirds("x"), user)}${variantOf(thirds("y"), user)}`);
  assert.is(cells.size, 9);
  assert.ok(splitProbability([...cells.values()].map(({ length }) => ({ count: length, share: 1 }))) > 0.001);
});

test("users beyond the shares are in no variant, and assigned users keep theirs when the last share grows", () => {
  const tenth = (share: number) =>
    experiment("x", [
      { name: "a", share: 0.1, settings: {} },
      { name: "b", share, settings: {} },
    ]);
  const inNone = USERS.filter((user) => variantOf(tenth(0.1), user) === undefined);
  assert.ok(
    splitProbability([
      { count: inNone.length, share: 0.8 },
      { count: USERS.length - inNone.length, share: 0.2 },
    ]) > 0.001,
  );
  for (const user of USERS.slice(0, 500)) {
    const before = variantOf(tenth(0.1), user);
    if (before !== undefined) assert.is(variantOf(tenth(0.9), user), before);
  }
});

test("the user id takes precedence over the client id, and nobody takes part without either", () => {
  const one = thirds("x");
  const get = (user_id: string | null, client?: string) =>
    assignedVariant([one], request({ user_id }), client)?.variant;
  assert.is(get(null), undefined);
  assert.is(get(null, ""), undefined);
  assert.is(get(null, "user-1"), variantOf(one, "user-1"));
  for (const user of USERS.slice(0, 20)) assert.is(get(user, "browser"), variantOf(one, user));
});

test("a request with settings of its own, or on another index, takes no part", () => {
  const get = (change: object, names: string[] = [], index?: string) =>
    assignedVariant([thirds("x", index)], request({ user_id: "u", ...change }, ...names), undefined)?.variant;
  assert.is.not(get({}), undefined);
  assert.is(get({ settings: { ...NONE, combination: "rrf" } }), undefined);
  assert.is(get({ settings: { ...NONE, weights: [1] } }), undefined);
  assert.is(get({}, ["films"]), undefined);
  assert.is.not(get({}, ["books-a", "books-b"], "books-*"), undefined);
  assert.is(get({}, ["books-a", "films"], "books-*"), undefined);
});

test("a search takes part however it names the index of the experiment", () => {
  const at = (index: string, names: string[]) => ({
    ...request({ index, user_id: "u" }),
    indexes: [{ name: "b-1", names }],
  });
  for (const index of ["books", "<books>", "b-1", "b*", "books,b-1", "<b-{now/d}>"]) {
    const variant = assignedVariant([thirds("x")], at(index, ["b-1", "books"]), undefined)?.variant;
    assert.is(variant, variantOf(thirds("x"), "u"), index);
  }
  // Another alias with a filter shows another part of the index.
  assert.is(assignedVariant([thirds("x")], at("films", ["b-1", "films"]), undefined), undefined);
});

test("an experiment on templates takes only requests that name one of them", () => {
  const one = experiment("x", [
    { name: "a", share: 0.5, template: "words", settings: {} },
    { name: "b", share: 0.5, template: "meaning", settings: {} },
  ]);
  const templates = (template: string | null) =>
    new Set(
      USERS.slice(0, 100).map((user_id) => assignedVariant([one], request({ user_id, template }), undefined)?.template),
    );
  assert.equal([...templates("words")].toSorted(), ["meaning", "words"]);
  assert.equal([...templates("other")], [undefined]);
  assert.equal([...templates(null)], [undefined]);
});

test("an experiment that interleaves gives all its users both variants, and none to the others", () => {
  const one = { ...thirds("x"), kind: "interleave" as const };
  one.variants = one.variants.slice(0, 2);
  const assigned = USERS.slice(0, 300).map((user_id) => assignedVariant([one], request({ user_id }), undefined));
  const kinds = new Set(assigned.map((own) => own && `${own.variant} ${own.other?.variant}`));
  assert.equal([...kinds].toSorted(), ["a b", undefined]);
  const [own] = assigned.filter((each) => each !== undefined);
  const shows = (native: object, size: number) =>
    own && canInterleave(own, { native: { ...native }, page: { from: 0, size } });
  assert.equal([shows({}, 10), shows({}, 0), shows({ sort: ["year"] }, 10)], [true, false, false]);
});

test("a search that the cluster cannot serve with every variant takes no part, whoever searches", () => {
  const defaults = { normalization: "min_max", combination: "arithmetic_mean" } as const;
  const two = (settings: Experiment["variants"][number]["settings"]) =>
    experiment("x", [
      { name: "a", share: 0.5, settings: {} },
      { name: "b", share: 0.5, settings },
    ]);
  const can = (version: string) => ({ settings: defaults, can: capabilitiesOf(version) });
  assert.is(canServe(two({ weights: [0.3, 0.7] }), 2, can("2.19.0")), true);
  assert.is(canServe(two({ weights: [0.3, 0.7] }), 3, can("2.19.0")), false);
  assert.is(canServe(two({ combination: "rrf" }), 2, can("2.17.0")), false);
  assert.is(canServe(two({ combination: "rrf" }), 2, can("2.19.0")), true);
});

test.run();
