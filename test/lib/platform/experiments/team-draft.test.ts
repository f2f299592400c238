import * as assert from "uvu/assert";
import { preferenceOf, teamDraft } from "../../../../lib/platform/experiments/team-draft.ts";
import { type Random, seeded, shuffled } from "../../../../lib/platform/statistics/random.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/platform/experiments/team-draft");

const IDS = Array.from({ length: 20 }, (_, at) => `d${at}`);

test("each id of either list is there once, and the teams never differ by more than one pick", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = seeded(seed);
    const part = () => shuffled(IDS, random).slice(0, Math.floor(random() * 15));
    const lists = [part(), part()] as const;
    const picks = teamDraft(lists, random);
    assert.equal(picks.map(({ id }) => id).toSorted(), [...new Set(lists.flat())].toSorted());
    const counts = [0, 0];
    for (const [at, { id, team }] of picks.entries()) {
      const before = new Set(picks.slice(0, at).map((pick) => pick.id));
      assert.is(
        id,
        lists[team].find((one) => !before.has(one)),
        "a team picks its best that is left",
      );
      counts[team] = (counts[team] as number) + 1;
      const isOver = lists.some((list) => list.every((one) => before.has(one)));
      if (!isOver) assert.ok(Math.abs((counts[0] as number) - (counts[1] as number)) <= 1);
    }
  }
});

/** Simulates users who click down a list until they have found enough: lower places are seen by fewer. */
function simulated(lists: readonly [readonly string[], readonly string[]], good: ReadonlySet<string>, random: Random) {
  const users = Array.from({ length: 800 }, () => {
    const searches = 1 + Math.floor(random() * 4);
    let credit = 0;
    for (let search = 0; search < searches; search += 1) {
      const lead = teamDraft(lists, random).reduce((sum, { id, team }, at) => {
        const isClicked = random() < 1 / (at + 1) && random() < (good.has(id) ? 0.8 : 0.2);
        return isClicked ? sum + (team === 1 ? 1 : -1) : sum;
      }, 0);
      credit += Math.sign(lead);
    }
    return { searches, credit };
  });
  return preferenceOf(users);
}

test("alike lists are not told apart, and the better one is found", () => {
  const good = new Set(IDS.slice(0, 4));
  const worse = [...IDS.slice(8), ...IDS.slice(0, 8)];
  let wrong = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    const { value, error } = simulated([IDS, IDS], good, seeded(seed));
    if (Math.abs(value) > 2.6 * error) wrong += 1;
  }
  assert.ok(wrong <= 1, `${wrong} of 20 experiments without a difference found one at 99 %`);
  const better = simulated([worse, IDS], good, seeded(5));
  assert.ok(better.value > 4 * better.error, JSON.stringify(better));
  const other = simulated([IDS, worse], good, seeded(5));
  assert.ok(other.value < -4 * other.error, JSON.stringify(other));
});

test.run();
