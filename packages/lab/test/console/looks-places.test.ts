import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { evaluate } from "../../evaluation/evaluate.ts";
import { judgmentsOf } from "../../judgments/judgments.ts";
import { metricOf } from "../../metrics/metric.ts";
import { surfaceSvg } from "../../tuning/surface.ts";
import type { Tuning } from "../../tuning/tune.ts";
import { startInBrowser } from "./console.ts";
import { inEveryLook, press } from "./looks.ts";

const test = suite("what Judge, Measure and Recommend promise in every look, in a browser");

const shared = await startInBrowser(test, { users: async () => ["U1", "U2"] });
const { files } = shared.console;
const write = (folder: string, file: string, content: string) => {
  mkdirSync(join(files, folder), { recursive: true });
  writeFileSync(join(files, folder, file), content);
};
const EVALUATION = "2026-11-05T10-00-00-000Z-evaluate";
const TUNING = "2026-11-06T10-00-00-000Z-tune";
const ABOUT = { when: "2026-11-05T10:00:00.000Z", judgments: "twenty", index: "books" };

/** An evaluation in which one variant wins, one loses, and one has hits that nobody judged. */
function evaluation() {
  const queries = Array.from({ length: 60 }, (_, query) => `q${query}`);
  const judged = queries.flatMap((query) =>
    [0, 0, 1, 2, 3].map((grade, document) => ({ query, document: `${document}`, grade })),
  );
  const orders = { live: "23410", good: "43210", bad: "01234", fresh: "98706" };
  const settings = Object.entries(orders).map(([name, order]) => ({
    name,
    // Queries must differ a little, or every interval has no width.
    runs: queries.map((_, query) => ({
      ...{ ranking: query % 5 === 0 ? [...order].reverse() : [...order], milliseconds: 1, degraded: [] },
    })),
  }));
  const metric = metricOf("ndcg@10");
  assert.ok(metric);
  const about = { origins: { people: 300 }, warnings: ["the judgments file has rows of another index"] };
  return evaluate(queries, settings, judgmentsOf(judged), [metric], about);
}

/** A tuning whose best settings lie between the cells of its heat map, of which one is best. */
function tuning(): { result: Tuning; picture: string } {
  const techniques = { normalization: "min_max", combination: "arithmetic_mean", candidates: 100, k: null } as const;
  const best = { ...techniques, weights: [0.35, 0.5, 0.15] };
  const values = ({ weights }: { weights: readonly number[] | null }) =>
    Float64Array.of(1 - Math.hypot((weights?.[0] ?? 0) - 0.7, (weights?.[1] ?? 0) - 0.1));
  const collection = { queries: 20, subqueries: 3, values, computed: () => 0 };
  return {
    result: {
      ...{ best, current: 0.5, tuned: 0.6, isReal: true, settings: 300, queries: 20 },
      gain: { mean: 0.1, low: 0.05, high: 0.15 },
    },
    picture: surfaceSvg(collection, best, "ndcg@10"),
  };
}

write(
  "runs",
  `${EVALUATION}.json`,
  JSON.stringify({ ...ABOUT, id: EVALUATION, kind: "evaluate", result: evaluation() }),
);
write("runs", `${TUNING}.json`, JSON.stringify({ ...ABOUT, id: TUNING, kind: "tune", ...tuning() }));

/** The number in the frame of the heat map, and the best of all. */
const FRAMED = `(() => {
  const svg = document.querySelector(".surface svg");
  const frame = svg.querySelector("rect[fill=none]").getBoundingClientRect();
  const numbers = [...svg.querySelectorAll("text")].filter(({ textContent }) => /^\\d\\.\\d{3}$/.test(textContent));
  const isFramed = (number) => {
    const { left, right, top, bottom } = number.getBoundingClientRect();
    return left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom;
  };
  const seen = frame.left >= 0 && frame.right <= innerWidth;
  const values = numbers.map(({ textContent }) => textContent);
  return { seen, framed: numbers.filter(isFramed).map(({ textContent }) => textContent), best: values.sort().at(-1) };
})()`;

const MEASURE = "#/measure?index=books&judgments=twenty";

inEveryLook(test, shared, {
  "a verdict names winners and losers, and declines with what would allow it where too little is judged": {
    place: `${MEASURE}&run=${EVALUATION}`,
    check: async (page) => {
      const view = page.getByRole("region", { name: "Evaluation" });
      const verdict = view.getByRole("heading", {
        name: /^good beats live by 0\.\d{4} ndcg@10 \(95 % interval .*\)\./,
      });
      await verdict.waitFor();
      const text = (await verdict.textContent()) ?? "";
      assert.match(text, /bad is worse than live by 0\.\d{4}/);
      assert.match(
        text,
        /No verdict on fresh: 20 % of its hits are judged .* judge 120 more of the first hits of fresh\./,
      );
      assert.match(text, /From 60 queries\. Of the first hits, 20 % to 100 % are judged by people\./);
      await view.getByRole("alert").getByText("rows of another index").waitFor();
      for (const [name, finding] of [
        ["good", "better"],
        ["bad", "worse"],
        ["fresh", "no verdict: too little judged"],
      ])
        await view.getByRole("row", { name: new RegExp(`^${name} .*${finding}`) }).waitFor();
      await press(view.getByRole("button", { name: "bad", exact: true }));
      await view.locator("figcaption").getByText("ndcg@10 of bad minus live").waitFor();
    },
  },

  "the heat map frames its best cell": {
    place: `${MEASURE}&run=${TUNING}`,
    check: async (page) => {
      await page.getByRole("region", { name: "Tuning" }).getByRole("img").waitFor();
      assert.equal(await page.evaluate(FRAMED), { seen: true, framed: ["1.000"], best: "1.000" });
    },
  },

  "a long text is clamped, and the grades stay in view when it is not": {
    place: "#/judge?q=letters&index=books&judgments=long",
    trouble: "bare",
    check: async (page) => {
      const card = page.getByRole("region", { name: "Document to judge" });
      const [body, grades] = [card.locator(".body"), card.locator(".grades")];
      await body.waitFor();
      assert.ok(((await body.textContent()) ?? "").length > 3_000);
      assert.ok(((await body.boundingBox())?.height ?? 900) < 300);
      await press(card.getByRole("button", { name: "Show the whole text" }));
      const height = (await body.boundingBox())?.height ?? 0;
      assert.ok(height > 500, `${height}`);
      const { y = 900, height: own = 0 } = (await grades.boundingBox()) ?? {};
      assert.ok(y >= 0 && y + own <= 900, `${y}`);
      await page.keyboard.press("2");
      await page.getByRole("status").getByText("relevant. ").waitFor();
    },
  },

  "Recommend offers users and items to pick": {
    place: "#/recommend?index=books",
    check: async (page) => {
      const offered = (of: string) => page.getByRole("region", { name: `${of} to pick` });
      await press(offered("Users").getByRole("button", { name: "U2" }));
      await page.getByRole("region", { name: "For U2" }).locator(".hit").first().waitFor();
      assert.is(await offered("Users").count(), 0);
      await press(offered("Items").getByRole("button", { name: "Salt and Storm" }));
      await page.getByRole("region", { name: "Like b2" }).locator(".hit").first().waitFor();
    },
  },
});

test.run();
