import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DocumentKind, openDocument } from "@relevance/lib/platform/aws/documents.ts";
import { patient } from "@relevance/processes/wait.ts";
import type { Page } from "playwright-core";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import type { Preview } from "../../preview/preview.ts";
import { startInBrowser } from "./console.ts";
import { column, inEveryLook, press, type } from "./looks.ts";

const test = suite("texts from right to left in every place, in a browser");

const preview: Preview = {
  ...{ names: ["today", "changed"], metric: "ndcg@10", depth: 10, evaluation: null, warnings: [] },
  queries: [
    {
      ...{ query: "ים", outcome: "changed", before: null, after: null, moved: true, told: false },
      ...{ entered: ["b1"], left: ["b2"] },
    },
  ],
  totals: { better: 0, worse: 0, changed: 1, unchanged: 0 },
};
/** An account without versions of documents. */
const open = async <Value>(kind: DocumentKind<Value>) => ({
  ...openDocument(kind, { sdk: { region: "eu-west-1" }, bucket: "none" }),
  versions: async () => ({ listed: [], inUse: kind.none, earlier: 0 }),
});
const shared = await startInBrowser(test, {
  ...{ work: async () => ({ result: JSON.stringify(preview) }), account: { open } },
  ...{
    users: async () => ["U1"],
    history: async () => [{ item: "b4", type: "view", when: "2026-01-02T03:04:05.000Z" }],
  },
});
const { files } = shared.console;
mkdirSync(join(files, "judgments"), { recursive: true });
const rows = [3, 0].map(
  (grade) => `letters,b1,${grade},books,ada,2026-11-26T00:00:00Z,people,${grade ? "Ada" : "Ben"}\n`,
);
writeFileSync(join(files, "judgments", "hebrew.csv"), `query,doc,grade,index,who,when,origin,rater\n${rows.join("")}`);
writeFileSync(join(files, "conf", "rules.yaml"), "rules: []\n");

/** The visible texts that begin with a Hebrew letter, by the direction in which they are laid out. JSON and code are not texts. */
const TEXTS = `(() => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = { ltr: [], rtl: [] };
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!/^\\P{L}*\\p{Script=Hebrew}/u.test(data) || parentElement.closest("pre, .hidden, option, textarea")) continue;
    found[getComputedStyle(parentElement).direction].push(data);
  }
  return found;
})()`;

/** How many lines the last words of a preview take: "another order". */
const LINES = `(() => {
  const range = document.createRange();
  range.selectNodeContents([...document.querySelectorAll("td.text bdi")].at(-1));
  return new Set([...range.getClientRects()].map(({ top }) => top)).size;
})()`;

const SHOWN = "index=books&show=title%2Cauthor%2Cdescription";
const WEIGHTS = { weights: [0, 1, 0], normalization: "min_max", combination: "arithmetic_mean" };
const variants = encodeURIComponent(JSON.stringify([{ kind: "hybrid", name: "mine", settings: WEIGHTS }]));

/** Where texts of documents appear: how to get there, and how many of them there are at least. */
const PLACES: Readonly<Record<string, { place: string; least: number; show: (page: Page) => Promise<unknown> }>> = {
  "hits of Search": {
    ...{ place: `#/search?q=letters&${SHOWN}`, least: 40 },
    show: async (page) => {
      await column(page, "hybrid").locator(".hit").first().waitFor();
      await press(column(page, "hybrid").locator(".title").first());
      await page.getByRole("button", { name: "Explain in the cluster's words" }).waitFor();
    },
  },
  "cards and disagreements of Judge": {
    ...{ place: `#/judge?q=letters&judgments=hebrew&${SHOWN}`, least: 9 },
    show: async (page) => {
      await page.getByRole("region", { name: "Document to judge" }).waitFor();
      await press(page.locator(".agreement summary"));
      await page.locator(".agreement td").first().waitFor();
    },
  },
  "lists of Recommend": {
    ...{ place: `#/recommend?user=U1&item=b1&${SHOWN}`, least: 11 },
    show: async (page) => {
      for (const name of ["For U1", "Like b1"])
        await page.getByRole("region", { name }).locator(".hit").nth(4).waitFor();
      await page.getByRole("region", { name: "History" }).getByText("ספר b4").waitFor();
    },
  },
  "items that Recommend offers": {
    ...{ place: `#/recommend?${SHOWN}`, least: 3 },
    show: (page) => page.getByRole("region", { name: "Items to pick" }).getByText("ספר b1").waitFor(),
  },
  "products of a rule": {
    ...{ place: `#/merchandise?rule=new+rule&${SHOWN}`, least: 5 },
    show: async (page) => {
      await type(page.getByRole("searchbox", { name: "Find products" }), "letters");
      await page.keyboard.press("Enter");
      const found = page.getByRole("list", { name: "Found products" });
      await press(found.getByRole("button", { name: "Pin" }).first());
      await press(found.getByRole("button", { name: "Hide" }).last());
      await page.getByRole("list", { name: "Pinned and hidden" }).getByRole("listitem").nth(1).waitFor();
    },
  },
  "hits that come and go in a preview": {
    ...{ place: `#/search?q=letters&v=${variants}&${SHOWN}`, least: 10 },
    show: async (page) => {
      await column(page, "mine").locator(".hit").first().waitFor();
      await press(page.getByRole("button", { name: "Write to hybrid_search.yaml …" }));
      await type(page.getByLabel("Searches to try, one per line"), "ים");
      await press(page.getByRole("button", { name: "Preview", exact: true }));
      await page.getByRole("row", { name: /^ים changed/ }).waitFor({ timeout: patient(60_000) });
      // A narrow column breaks no word.
      assert.ok(Number(await page.evaluate(LINES)) <= 2);
    },
  },
};

inEveryLook(
  test,
  shared,
  Object.fromEntries(
    Object.entries(PLACES).map(([name, { place, least, show }]) => [
      `${name} are laid out in their own direction`,
      {
        ...{ place, trouble: "hebrew", width: 390 },
        check: async (page) => {
          await show(page);
          const { ltr, rtl } = (await page.evaluate(TEXTS)) as Record<"ltr" | "rtl", string[]>;
          assert.equal(ltr, []);
          assert.ok(rtl.length >= least, `${rtl.length}: ${rtl}`);
        },
      },
    ]),
  ),
);

test.run();
