import * as assert from "uvu/assert";
import { markdownSummary } from "../../../../cli/plan/summary/markdown.ts";
import { suite } from "../../../suite.ts";

const test = suite("plan as Markdown");

const summary = (notes: string[]) => ({
  stacks: [],
  counts: { create: 1, update: 0, replace: 0, delete: 0, forget: 0, import: 0 },
  changes: true,
  ...{ idleCosts: [], idleCostsBefore: [], standing: [] },
  notes,
});
const digest = "d".repeat(64);

test("has the plan in a fence that nothing in it can close, and the digest", () => {
  assert.is(
    markdownSummary("shop", summary(["a value with ```` in it"]), digest),
    [
      "### Plan of shop: changes",
      "`````text\nNotes\n  a value with ```` in it\n\nPlan: 1 to create.\n`````",
      `Digest: \`${digest}\``,
      "",
    ].join("\n\n"),
  );
});

test("fits into a comment, and says what is missing", () => {
  const text = markdownSummary("shop", summary([`${"x".repeat(70_000)}`]), digest);
  assert.ok(text.length < 65_536);
  assert.match(text, /… and 10\d+ more characters: run `relevance plan`/);
  assert.match(text, digest);
});

test.run();
