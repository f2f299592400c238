import { waitFor } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { saveNowAndThen } from "../../dev/save-now-and-then.ts";

const test = suite("periodic saving");

const soon = { timeoutMs: 60_000, intervalMs: 5 };

/** A saver whose first saves fail. */
function begin(failures = 0) {
  let left = failures;
  const counts = { saves: 0, whole: 0, said: [] as string[] };
  const saver = saveNowAndThen({
    everyMs: 5,
    say: (line) => counts.said.push(line),
    save: async (isLast) => {
      counts.saves += 1;
      if (isLast) counts.whole += 1;
      if (left-- > 0) throw new Error("the store is gone");
    },
  });
  return { saver, counts };
}

test("saves while it runs, but only after a change", async () => {
  const { saver, counts } = begin();
  const other = begin();
  other.saver.note();
  saver.note();
  await waitFor(async () => counts.saves === 1, { what: "a save", ...soon });
  other.saver.note();
  await waitFor(async () => other.counts.saves === 2, { what: "two saves", ...soon });
  assert.equal([counts.saves, counts.whole], [1, 0]);
  await Promise.all([saver.stop(), other.saver.stop()]);
});

test("saves everything at the end, even without a change", async () => {
  const { saver, counts } = begin();
  await saver.stop();
  assert.equal([counts.saves, counts.whole], [1, 1]);
});

test("retries after a failure, and reports it", async () => {
  const { saver, counts } = begin(1);
  saver.note();
  await waitFor(async () => counts.saves === 2, { what: "a second try", ...soon });
  assert.equal(counts.said.length, 1);
  assert.match(counts.said[0] ?? "", "could not be saved: the store is gone");
  await saver.stop();
});

test("reports, but does not throw, a failure at the end, so that it hides no earlier error", async () => {
  const { saver, counts } = begin(1);
  await saver.stop();
  assert.is(counts.said.length, 1);
});

test.run();
