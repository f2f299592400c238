import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import type { ExperimentReport } from "../../experiments/report.ts";
import { placeLines } from "../../recommendations/places.ts";
import { recommendationReport } from "../../recommendations/report.ts";

const test = suite("report of recommendations");

const folder = scratchFolder(TEST_OUTPUT, "recommendation-report");
const PERIOD = { from: new Date("2026-11-01T00:00:00Z"), until: new Date("2026-11-21T00:00:00Z") };
const NOON = Date.parse("2026-11-20T12:00:00Z") / 1000;

const CONVERSIONS = { conversions: ["purchase"], conversion_events: 1 };

let made = 0;

/** An answer at noon with the items a and b. */
function answer(change: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1;
  return {
    type: "relevance.recommendation",
    request_id: `r${made}`,
    recommendation_id: null,
    user_id: "u1",
    endpoint: "recommend-for-placement",
    placement: "home",
    item_ids: ["a", "b"],
    fallback: null,
    degraded: [],
    milliseconds: 20,
    timestamp: new Date(NOON * 1000).toISOString(),
    ...change,
  };
}

/** An event of u1 on an item, a minute after noon. */
function event(ITEM_ID: string, change: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1;
  const SESSION_ID = change.USER_ID ?? "u1";
  return {
    EVENT_ID: `e${made}`,
    USER_ID: "u1",
    SESSION_ID,
    ITEM_ID,
    EVENT_TYPE: "view",
    TIMESTAMP: NOON + 60,
    ...change,
  };
}

function report(
  answers: readonly object[],
  events: readonly object[],
  experiments: { name: string; shares: number[] }[] = [],
) {
  made += 1;
  const file = (name: string, lines: readonly object[]) => {
    const path = join(folder, `${made}-${name}.jsonl`);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return [path];
  };
  return recommendationReport(
    { answers: file("answers", answers), events: events.length > 0 ? file("events", events) : [], scratch: folder },
    PERIOD,
    {
      conversions: ["purchase", "rent"],
      experiments: experiments.map(({ name, shares }) => ({
        name,
        variants: shares.map((share, index) => ({ name: `v${index}`, share })),
      })),
    },
  );
}

const values = (place: object | undefined) =>
  Object.fromEntries(
    Object.entries(place ?? {}).map(([name, value]) => [name, (value as { value?: number } | null)?.value ?? value]),
  );

test("measures each place once for each request: clicks, conversions, fallback, degraded, coverage", async () => {
  const first = answer();
  const answers = [
    first,
    first,
    answer({ user_id: "u2", fallback: { step: 1, list: "popular", items: 2 } }),
    answer({ user_id: "u2", degraded: [{ stage: "campaign", target: "x", reason: "y", effect: "z" }], item_ids: [] }),
    answer({ user_id: null, item_ids: ["c"] }),
    answer({ placement: null, endpoint: "rank-items-to-user", user_id: "u9" }),
    answer({ timestamp: "2026-10-01T00:00:00Z" }),
  ];
  const bought = event("b", { EVENT_TYPE: "rent" });
  const events = [event("a"), bought, bought, event("d", { USER_ID: "u3" })];
  const { places } = await report(answers, events);
  const [home, ranked] = places.map(values);
  const { place, answers: lists, users, anonymous, ...measures } = home ?? {};
  assert.equal([place, lists, users, anonymous], ["home", 4, 2, 1]);
  // Clicks of three of the four can be known.
  assert.equal([measures.click_through, measures.conversion], [1 / 3, 1 / 3]);
  assert.equal([measures.fallback, measures.degraded], [0.25, 0.25]);
  // a, b and c of a, b, c and d.
  assert.is(measures.coverage, 0.75);
  assert.equal([ranked?.place, ranked?.answers, ranked?.click_through], ["rank-items-to-user", 1, 0]);
});

test("shares have intervals within 0 and 1, and one that has a width if nothing was seen", async () => {
  const users = Array.from({ length: 447 }, (_, index) => `u${index}`);
  const { places } = await report(
    users.map((user_id) => answer({ user_id, degraded: [{}] })),
    [event("z", { USER_ID: "other" })],
  );
  const shown = (share: { low: number; high: number } | null | undefined) => [
    share?.low.toFixed(4),
    share?.high.toFixed(4),
  ];
  const [home] = places;
  assert.equal(shown(home?.click_through), ["0.0000", "0.0085"]);
  assert.equal(shown(home?.degraded), ["0.9915", "1.0000"]);
});

test("conversion is unknown, and says so, if no event has its type", async () => {
  const found = await report([answer()], [event("a")]);
  assert.equal([found.places[0]?.conversion, found.places[0]?.click_through?.value], [null, 1]);
  assert.match(
    placeLines(found).join(" "),
    "No event of the period has the type purchase or rent, so conversion is not known.",
  );
  const known = await report([answer()], [event("a"), event("q", { EVENT_TYPE: "rent", USER_ID: "u2" })]);
  assert.is(known.places[0]?.conversion?.value, 0);
  assert.not.match(placeLines(known).join(" "), "conversion is not known");
});

test("an event follows from the answer that it names, and otherwise from the last one with its item on that day", async () => {
  const at = (hours: number) => new Date((NOON + hours * 3600) * 1000).toISOString();
  const clicks = async (answers: readonly object[], events: readonly object[]) => {
    const { places } = await report(answers, events);
    return places.map((place) => `${place.place} ${place.click_through?.value}`);
  };
  const two = [
    answer({ recommendation_id: "R1" }),
    answer({ placement: "cart", recommendation_id: "R2", timestamp: at(0.01) }),
  ];
  assert.equal(await clicks(two, [event("a", { RECOMMENDATION_ID: "R1" })]), ["cart 0", "home 1"]);
  assert.equal(await clicks(two, [event("a")]), ["cart 1", "home 0"]);
  // The item is not in that answer, the user is another, the event is older, or a day late.
  for (const [item, change] of [
    ["c", { RECOMMENDATION_ID: "R1" }],
    ["a", { RECOMMENDATION_ID: "R9" }],
    ["a", { USER_ID: "u2" }],
    ["a", { TIMESTAMP: NOON - 1 }],
    ["a", { TIMESTAMP: NOON + 25 * 3600 }],
  ] as const) {
    assert.equal(await clicks(two, [event(item, change)]), ["cart 0", "home 0"], JSON.stringify(change));
  }
  // A session before and after login.
  const anonymous = [answer({ user_id: "s1" })];
  assert.equal(await clicks(anonymous, [event("a", { USER_ID: "u1", SESSION_ID: "s1" })]), ["home 1"]);
});

test("says whether lists have more of what users did next than popular items, with an interval", async () => {
  const users = Array.from({ length: 200 }, (_, index) => `u${index}`);
  // Each user goes on to an own item, which the list has for half of them; popular are p1 and p2.
  const answers = users.map((user_id, index) =>
    answer({ user_id, item_ids: index % 2 ? [`own-${index}`, "x"] : ["x", "y"] }),
  );
  const events = [
    ...users.map((USER_ID, index) => event(`own-${index}`, { USER_ID })),
    ...Array.from({ length: 60 }, (_, index) => ["p1", "p2"].map((id) => event(id, { USER_ID: `v${index}` }))).flat(),
    ...users.slice(0, 20).map((USER_ID) => event("p1", { USER_ID })),
  ];
  const { places } = await report(answers, events);
  const [home] = places;
  assert.equal([home?.next?.value, home?.popular_next?.value], [100 / 220, 20 / 220]);
  assert.ok((home?.lift?.low ?? 0) > 0.25 && (home?.lift?.high ?? 1) < 0.5, JSON.stringify(home?.lift));
  assert.match(
    placeLines({ ...CONVERSIONS, places, hashed: [] })[0] ?? "",
    /^home has more of what users did next than popular items would have: 0\.4545 beside 0\.0909, /,
  );
  // Nobody knows x and y; half of those who know anything know p1 or p2.
  assert.ok((home?.novelty?.value ?? 0) > (home?.popular_novelty?.value ?? 9) + 3);
});

test("compares the variants of an experiment by user, and leaves out who is nobody or in two", async () => {
  const answers = [
    ...Array.from({ length: 300 }, (_, index) =>
      answer({ user_id: `u${index}`, experiment: "more", variant: `v${index % 2}`, request_id: `x${index}` }),
    ),
    answer({ user_id: null, experiment: "more", variant: "v0" }),
    answer({ user_id: "both", experiment: "more", variant: "v0" }),
    answer({ user_id: "both", experiment: "more", variant: "v1" }),
  ];
  const events = Array.from({ length: 300 }, (_, index) => index)
    .filter((index) => index % 2 === 1 && index % 3 > 0)
    .map((index) => event("b", { USER_ID: `u${index}` }));
  const { experiments } = await report(answers, events, [
    { name: "more", shares: [0.5, 0.5] },
    { name: "unused", shares: [0.5, 0.5] },
  ]);
  assert.is(experiments.length, 1);
  const { outcomes, variants, mixedUsers, anonymousSearches } = experiments[0] as ExperimentReport;
  assert.equal(outcomes, [{ variant: "v1", outcome: "better" }]);
  assert.equal([mixedUsers, anonymousSearches], [1, 1]);
  assert.equal(
    variants.map(({ name, users, measures }) => [name, users, measures.click_through.value, measures.clicks_mrr.value]),
    [
      ["v0", 150, 0, 0],
      ["v1", 150, 2 / 3, 1 / 3],
    ],
  );
});

test("measures nothing where there is nothing", async () => {
  const { places } = await report([answer({ item_ids: [], user_id: null })], []);
  const { click_through, novelty, next, lift } = values(places[0]);
  assert.equal([click_through, novelty, next, lift], [null, null, null, null]);
  assert.equal(placeLines({ ...CONVERSIONS, places, hashed: [] }), [
    "home: the log names no user of 1 of 1 lists.",
    "home: 1 of 1 lists have neither an id nor a user whom events name, so clicks on them are not known.",
  ]);
});

test("with hashed users, measures only lists with an id, and does not compare variants of which some have none", async () => {
  const user_id = "9f".repeat(32);
  const variants = (change: object) => [
    answer({ user_id, experiment: "more", variant: "a", recommendation_id: "R1", ...change }),
    answer({ user_id: "7a".repeat(32), experiment: "more", variant: "b", ...change }),
  ];
  const events = [event("a", { RECOMMENDATION_ID: "R1" }), event("b", { USER_ID: "u2" })];
  const more = [{ name: "more", shares: [0.5, 0.5] }];
  const { places, experiments, hashed } = await report(variants({}), events, more);
  assert.equal([places[0]?.answers, places[0]?.followable, places[0]?.click_through?.value], [2, 1, 1]);
  assert.equal([experiments, hashed], [[], ["more"]]);
  assert.match(
    placeLines({ ...CONVERSIONS, places, hashed })[1] ?? "",
    "Experiment more: the log names users by hashes",
  );
  // An id that only looks like a hash is one that events name.
  const plain = await report(variants({ user_id }), [event("a", { USER_ID: user_id })], more);
  assert.equal([plain.places[0]?.followable, plain.hashed], [2, []]);
});

test.run();
