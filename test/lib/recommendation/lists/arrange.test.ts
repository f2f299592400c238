import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { seeded, shuffled } from "../../../../lib/platform/statistics/random.ts";
import type { RecordStore } from "../../../../lib/recommendation/clients/record-store.ts";
import { arrange } from "../../../../lib/recommendation/lists/arrange.ts";
import { Candidates, type Checks } from "../../../../lib/recommendation/lists/candidates/candidates.ts";
import { slotsOf } from "../../../../lib/recommendation/lists/quota.ts";
import { suite } from "../../../suite.ts";

const test = suite("placements: order of the list");

test("every beginning of a list has each share, rounded down or up", () => {
  const random = seeded(8);
  const some = Array.from({ length: 300 }, () => shuffled([1, 1, 1, 2, 3, 5, 10, 17, 30, 33], random).slice(0, 5));
  for (const percents of [[], [25], [50, 50], [100], [1, 1, 1, 1, 1], [33, 33, 33], [90, 3, 2], ...some]) {
    const slots = slotsOf(100, percents);
    const shares = [100 - percents.reduce((sum, percent) => sum + percent, 0), ...percents];
    const given = shares.map(() => 0);
    for (const [index, slot] of slots.entries()) {
      const party = slot === undefined ? 0 : slot + 1;
      given[party] = (given[party] ?? 0) + 1;
      for (const [one, share] of shares.entries()) {
        const quota = ((index + 1) * share) / 100;
        assert.ok(
          Math.floor(quota) <= (given[one] ?? 0) && (given[one] ?? 0) <= Math.ceil(quota),
          `${percents}: ${one}`,
        );
      }
    }
    assert.equal(given, shares);
  }
});

/** The items a, b, c… with these values of KIND, in this order. */
function candidatesOf(kinds: readonly string[]): Candidates {
  const ids = kinds.map((_, index) => String.fromCharCode(97 + index));
  const read = async (_: string, wanted: readonly string[]) => ({
    records: new Map(wanted.map((id) => [id, { ITEM_ID: id, KIND: kinds[id.charCodeAt(0) - 97] ?? "" }])),
    unread: new Set<string>(),
    failure: undefined,
  });
  async function* batches() {
    yield ids;
  }
  const checks = {
    records: { read } as unknown as RecordStore,
    deadline: deadlineIn(1_000),
    excluded: new Set<string>(),
    unknown: new Set<string>(),
    retired: new Set<string>(),
    limit: 6,
  };
  return new Candidates([{ originOf: () => "campaign", open: async () => ({ batches: batches() }) }], checks);
}

async function ordered(kinds: readonly string[], weight: number): Promise<string> {
  const diversity = { marginal_relevance: { column: "KIND", weight } };
  const list = await arrange({ limit: 6, diversity, promotions: [], ordinary: () => candidatesOf(kinds) });
  return list.map(({ id, isMoved }) => (isMoved ? id.toUpperCase() : id)).join("");
}

test("marginal relevance spreads what is alike, by its weight", async () => {
  const kinds = ["x", "x", "x", "x|y", "y", "z"];
  assert.is(await ordered(kinds, 0), "abcdef");
  // a; then f and e, which share nothing with it; d shares half with a and e; b and c are as a.
  assert.is(await ordered(kinds, 1), "aEFDbc");
  // b and c make up for being alike by their ranks, once nothing is left that is not.
  assert.is(await ordered(kinds, 0.5), "aEFbcd");
});

/** Returns the order that the definition gives, without keeping anything between steps. */
function byDefinition(kinds: readonly string[], weight: number): string {
  const valuesOf = (id: string) => new Set((kinds[id.charCodeAt(0) - 97] ?? "").split("|").filter(Boolean));
  const alike = (a: string, b: string) => {
    const union = new Set([...valuesOf(a), ...valuesOf(b)]).size;
    return union === 0 ? 0 : [...valuesOf(a)].filter((value) => valuesOf(b).has(value)).length / union;
  };
  let left = kinds.map((_, index) => String.fromCharCode(97 + index));
  let list = "";
  while (left.length > 0 && list.length < 6) {
    const scores = left.map(
      (id, rank) =>
        (1 - weight) * (1 - rank / left.length) - weight * Math.max(0, ...[...list].map((other) => alike(id, other))),
    );
    const best = left[scores.indexOf(Math.max(...scores))] ?? "";
    list += best;
    left = left.filter((id) => id !== best);
  }
  return list;
}

test("marginal relevance is that of its definition", async () => {
  const random = seeded(9);
  for (let round = 0; round < 200; round += 1) {
    const kinds = Array.from({ length: 12 }, () =>
      shuffled(["x", "y", "z", "w"], random)
        .slice(0, Math.floor(random() * 3))
        .join("|"),
    );
    const weight = random();
    assert.is((await ordered(kinds, weight)).toLowerCase(), byDefinition(kinds, weight), `${kinds} ${weight}`);
  }
});

test("the first failure of a read is kept, whatever later reads return", async () => {
  const failure = { reason: "throttled", cause: "throttled", isUnknown: false };
  const read = async (_: string, [id = ""]: readonly string[]) =>
    id === "a"
      ? { records: new Map(), unread: new Set([id]), failure }
      : { records: new Map([[id, { ITEM_ID: id, IS_ACTIVE: "True" }]]), unread: new Set<string>(), failure: undefined };
  async function* batches() {
    yield ["a"];
    yield ["b"];
  }
  const sets = { excluded: new Set<string>(), unknown: new Set<string>(), retired: new Set<string>() };
  const records = { read } as unknown as RecordStore;
  const checks: Checks = { ...sets, records, deadline: deadlineIn(1_000), limit: 6 };
  const opened = async () => ({ batches: batches(), passes: () => true });
  const found = await new Candidates([{ originOf: () => "campaign", open: opened }], checks).next(2);
  assert.equal([found.map(({ id }) => id), checks.failure], [["b"], failure]);
});

test.run();
