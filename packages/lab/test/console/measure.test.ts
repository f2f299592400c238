import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patient } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { fits } from "./axe.ts";
import { openTab, startInBrowser } from "./console.ts";

const test = suite("the console's measuring, in a browser");

/** The longest time that a command of `relevance` may take on a busy machine. */
const timeout = patient(60_000);

const { browser, console, inTab } = await startInBrowser(test);
// Only dense search ranks A Sunken Bell first.
const rows = Array.from({ length: 20 }, (_, query) => `query ${query},b3,3\n`);
mkdirSync(join(console.files, "judgments"), { recursive: true });
writeFileSync(join(console.files, "judgments", "twenty.csv"), `query,doc,grade\n${rows.join("")}`);

const MEASURE = "#/measure?index=books&judgments=twenty";

inTab("evaluates the variants and shows tables beside plots", MEASURE, async (page) => {
  await page.getByRole("button", { name: "Evaluate 4 variants" }).click();
  const result = page.getByRole("region", { name: "Evaluation" });
  await result.getByRole("heading", { name: /^dense beats keyword by 1\.0000 ndcg@10/ }).waitFor({ timeout });
  const dense = await result.getByRole("row", { name: /^dense better 1\.0000/ }).textContent();
  // Each mean has its interval, and the verdict is beside the difference.
  assert.match(dense ?? "", /^dense1\.0000 \([-\d.]+ to [-\d.]+\)better\d+ %1\.0000 \([-\d.]+ to [-\d.]+\)/);
  assert.is(await result.getByRole("img").count(), 2);
  await fits(page, 390, 1280);
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    result.getByRole("button", { name: "Save as HTML" }).press("Enter"),
  ]);
  assert.match(saved.suggestedFilename(), /-evaluate\.html$/);
  const html = readFileSync(await saved.path(), "utf8");
  assert.match(html, "<h1>Evaluation of books</h1>");
  assert.match(html, /dense beats keyword by 1\.0000 ndcg@10/);
  assert.not.match(html, /<script|<button/);
  await result.getByRole("link", { name: "query 7", exact: true }).click();
  await page.waitForURL(/#\/search\?q=query\+7/);
  await page.goBack();
  await page.waitForURL(/run=/);
});

test("shows the evaluations over time, with a chart and a row for each", async () => {
  const folder = join(console.files, "runs");
  mkdirSync(folder, { recursive: true });
  const stored = [1, 2, 3].map((day) => {
    const when = `2026-11-0${day}T10:00:00.000Z`;
    const id = `${when.replaceAll(/[:.]/g, "-")}-evaluate`;
    const mean = { mean: day / 10, low: day / 10 - 0.05, high: day / 10 + 0.05 };
    const scores = {
      "ndcg@10": { mean, difference: mean, values: [] },
      "mrr@10": { mean, difference: mean, values: [] },
    };
    const result = { queries: ["a", "b"], settings: [{ name: "hybrid", scores }] };
    return { id, kind: "evaluate", when, judgments: day === 3 ? "other" : "kept", index: "books", result };
  });
  for (const run of stored) writeFileSync(join(folder, `${run.id}.json`), JSON.stringify(run));
  const { page, problems, close } = await openTab(browser, console, "#/measure?index=books&judgments=kept");
  await page.getByRole("link", { name: "Over time" }).press("Enter");
  const view = page.getByRole("region", { name: "Over time" });
  await view.getByRole("img", { name: "ndcg@10 of hybrid over time" }).waitFor();
  assert.is(await view.getByRole("img").count(), 2);
  const cells = await view.locator("tbody tr").allTextContents();
  assert.is(cells.length, 2);
  assert.match(cells[1] ?? "", /20\.2000 \(0\.1500 to 0\.2500\)/);
  await fits(page, 390, 1280);
  assert.equal(problems, []);
  await close();
});

inTab(
  "opens an earlier run by its link, and from it another place at its top",
  // Its hits are there at once later, so that it is as long as the run.
  "#/search?index=books&q=query+7&judgments=twenty",
  async (page) => {
    await page.getByRole("status").getByText("4 variants searched for query 7").waitFor({ state: "attached" });
    await page.getByRole("link", { name: "Measure", exact: true }).click();
    await page
      .getByRole("link", { name: /^evaluate books on twenty/ })
      .first()
      .click();
    const link = page.getByRole("region", { name: "Evaluation" }).getByRole("link", { name: "query 7", exact: true });
    await link.scrollIntoViewIfNeeded();
    assert.ok(Number(await page.evaluate("scrollY")) > 500);
    await link.click();
    await page.getByRole("region", { name: "hybrid" }).waitFor();
    assert.is(await page.evaluate("scrollY"), 0);
  },
  { width: 390 },
);

inTab("tunes, shows the change of hybrid_search.yaml, and writes it after confirmation", MEASURE, async (page) => {
  await page.getByRole("button", { name: "Tune the hybrid search" }).click();
  const result = page.getByRole("region", { name: "Tuning" });
  await result
    .getByText(
      /^The best settings are better by more than noise: by \d\.\d{4} ndcg@10 \(95 % interval .*\) on .* From 20 queries\.$/,
    )
    .waitFor({ timeout });
  assert.is(await result.getByRole("img").count(), 1);
  await fits(page, 390, 1280);
  const before = readFileSync(console.defaultsFile, "utf8");
  await result.getByRole("button", { name: "Write to hybrid_search.yaml" }).click();
  await result.locator(".added").first().waitFor();
  const added = await result.locator(".added").allTextContents();
  assert.match(added.join(""), /^\+ {5}candidates: 100\n\+ {5}settings: \{weights: \[.*\], normalization: .*\}\n$/);
  assert.is(readFileSync(console.defaultsFile, "utf8"), before);
  await result.getByRole("button", { name: "Write this change" }).click();
  await result.getByText("Written to").waitFor();
  assert.match(readFileSync(console.defaultsFile, "utf8"), "settings: {");
  await result.getByRole("button", { name: "Compare in Search" }).click();
  await page.getByRole("region", { name: "tuned 5" }).waitFor();
});

test("a run says how far it is, is followed in another tab, and is stopped there without a trace", async () => {
  const { page, problems, close } = await openTab(browser, console, MEASURE);
  const earlier = page.getByRole("region", { name: "Earlier runs" }).getByRole("link");
  await earlier.first().waitFor();
  const before = await earlier.allTextContents();
  // The stand-in answers no search, so that the run goes on until it is stopped.
  const release = console.gateway.hold("/application/");
  await page.getByRole("button", { name: "Tune the hybrid search" }).press("Enter");
  const busy = page.getByRole("region", { name: "In progress" });
  await busy.getByText("Tuning … Retrieving the candidates of 20 queries").waitFor({ timeout });
  await busy.getByRole("progressbar").waitFor();
  assert.ok(await page.getByRole("button", { name: "Tune the hybrid search" }).isDisabled());
  await fits(page, 390, 1280);
  const other = await openTab(browser, console, MEASURE);
  const seen = other.page.getByRole("region", { name: "In progress" });
  await seen.getByText("Tuning … Retrieving the candidates of 20 queries").waitFor({ timeout });
  await seen.getByRole("button", { name: "Cancel" }).press("Enter");
  await page.getByRole("alert").getByText("409: Stopped. Nothing was stored.").waitFor({ timeout });
  for (const region of [seen, busy]) await region.waitFor({ state: "detached" });
  release();
  await page.getByRole("button", { name: "Tune the hybrid search", disabled: false }).waitFor();
  assert.equal(await earlier.allTextContents(), before);
  assert.equal(problems, []);
  await Promise.all([close(), other.close()]);
});

inTab("shows a command's own message when it fails", "#/measure?index=books&judgments=nothing", async (page) => {
  await page.getByRole("button", { name: "Evaluate 4 variants" }).click();
  await page.getByText(/422: .*nothing\.csv/).waitFor({ timeout });
});

test.run();
