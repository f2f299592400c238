import * as assert from "uvu/assert";
import type { GatewayServices } from "../../../../lib/search/gateway/services.ts";
import { ruleBook } from "../../../../lib/search/rules/book.ts";
import { parseRules } from "../../../../lib/search/rules/document.ts";
import { NO_EFFECTS } from "../../../../lib/search/rules/effects.ts";
import { readRules } from "../../../../lib/search/run/read-rules.ts";
import { RULES_FORM, type Rule } from "../../../../lib/settings/rules.ts";
import { suite } from "../../../suite.ts";

const test = suite("rules of a search");

const pin = (id: string, when: object): Rule =>
  ({ name: id, priority: 0, when, effects: { pin: [{ id, place: 1, ignore_filters: false }] } }) as unknown as Rule;
const isText = (text: string) => ({ text: { is: [text] }, time_zone: "UTC" });

/** Rules as somebody may have edited them in the bucket: nothing checks a document of this version's form again. */
const EDITED = [
  pin("sound", isText("sound")),
  pin("books", { ...isText("books"), indexes: ["books"] }),
  pin("zone", { ...isText("zone"), time_zone: "Europe/Atlantis", from: "2026-01-01" }),
  { ...pin("idle", isText("idle")), effects: undefined },
];

/** Returns what asks for the effects of the edited rules on one search or several, and what is logged. */
async function asked(catalog: object = { resolve: async () => [] }) {
  const lines: string[] = [];
  const book = ruleBook(parseRules({ rules: EDITED }, RULES_FORM));
  const services = {
    api: { log: (line: string) => lines.push(line) },
    rules: async () => ({ version: 1, content: book }),
    ...{ settings: { indexes: [] }, catalog },
  } as unknown as GatewayServices;
  const call = {
    caller: {},
    requestId: "r-1",
    deadline: { remaining: () => 1_000 },
    rule_set: null,
    index: "<books>,b*",
  };
  const asking = call as unknown as Parameters<typeof readRules>[1];
  const { effectsOn, degraded } = await readRules(services, asking);
  const facts = { template: null, params: null, native: {}, key: "default" };
  return { effectsOn: (text: string) => effectsOn({ ...facts, text }), degraded, lines };
}

test("that no search matches harm none", async () => {
  const { effectsOn, degraded, lines } = await asked();
  assert.equal(
    effectsOn("sound").pins.map(({ id }) => id),
    ["sound"],
  );
  assert.equal([effectsOn("another"), degraded, lines], [NO_EFFECTS, [], []]);
});

test("for indexes go by the names of the request if the cluster does not describe them, and the answer says so", async () => {
  const { effectsOn, degraded } = await asked({ resolve: () => Promise.reject(new Error("no answer")) });
  assert.equal(
    effectsOn("books").pins.map(({ id }) => id),
    ["books"],
  );
  assert.equal(
    degraded.map(({ reason }) => reason),
    ["the indexes cannot be read"],
  );
});

for (const [text, cause] of [
  ["zone", /time zone/i],
  ["idle", /TypeError/],
] as const) {
  test(`that cannot be applied (${text}) have no effects, and the answer and the log say so`, async () => {
    const { effectsOn, degraded, lines } = await asked();
    // Once for each variant of an experiment.
    assert.equal([effectsOn(text), effectsOn(text)], [NO_EFFECTS, NO_EFFECTS]);
    const reason = "the document of rules has a rule that cannot be applied";
    const effect = "the search is made without rules";
    assert.equal(degraded, [{ stage: "rules", target: "search_response", reason, effect }]);
    const { level, request_id, message, cause: told } = JSON.parse(lines[0] ?? "");
    assert.equal([level, request_id, message], ["error", "r-1", reason]);
    assert.match(told, cause);
  });
}

test.run();
