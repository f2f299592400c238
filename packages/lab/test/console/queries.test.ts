import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import { patient, waitFor } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { configurationFolder } from "../../../../test/fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { storedEvent, storedSearch } from "../../../../test/fixtures/stored-lines.ts";
import { suite } from "../../../../test/suite.ts";
import { fits } from "./axe.ts";
import { startInBrowser } from "./console.ts";

const test = suite("the console's queries, in a browser");

/** The longest time that a report may take on a busy machine. */
const timeout = patient(20_000);

const folder = scratchFolder(TEST_OUTPUT, "searched-by-people");
const timestamp = new Date(Date.now() - 3_600_000);
const of = (userQuery: string, count: number, change: Parameters<typeof storedSearch>[0] = {}) =>
  Array.from({ length: count }, (_, index) =>
    storedSearch({
      ...{ queryId: `${userQuery}-${index}`, clientId: `c${index}`, userQuery, timestamp },
      ...change,
    }),
  ).join("");
for (const name of ["search", "events"]) mkdirSync(join(folder, "log", name), { recursive: true });
writeFileSync(
  join(folder, "log", "search", "lines"),
  of("letters", 9, { template: "by_meaning" }) +
    of("sunken", 5, { hitIds: [], total: 0 }) +
    of("storm", 4) +
    of("films", 2, { index: "films" }) +
    ["control", "meaning"]
      .map((variant) => {
        const experiment = { name: "more_meaning", variant };
        return of(variant, 3, { index: "products", userId: `of ${variant}`, experiment });
      })
      .join(""),
);
writeFileSync(join(folder, "log", "events", "lines"), storedEvent("letters-0", "b1"));

const conf = join(folder, "conf");
cpSync(configurationFolder("all-options"), conf, { recursive: true });
writeFileSync(join(conf, "rules.yaml"), "rules: []\n");
mkdirSync(join(conf, "synonyms"));
writeFileSync(join(conf, "synonyms", "words.txt"), "lamp, light\n");
const searches = readFileSync(join(conf, "hybrid_search.yaml"), "utf8");
const lists = "$&\n    synonyms: { files: [{ file: synonyms/words.txt }] }";
writeFileSync(join(conf, "hybrid_search.yaml"), searches.replace(/ {2}- index: .*/, lists));
const { console, inTab } = await startInBrowser(test, {
  log: join(folder, "log"),
  conf,
  account: { open: async () => ({ versions: async () => ({ listed: [], inUse: undefined }) }) as never },
});

inTab(
  "lists what people search for and how it fails; each opens side by side, with the keyboard",
  "#/queries?index=books",
  async (page) => {
    const list = page.getByRole("region", { name: "Queries" });
    const names = () =>
      list.locator("tbody th").evaluateAll((all) => all.map(({ firstChild }) => firstChild?.textContent));
    await list.getByRole("row", { name: /^letters .* 9 9 0 8 1 / }).waitFor({ timeout });
    assert.equal(await names(), ["letters", "sunken", "storm"]);
    await list.getByText("3 queries.").waitFor();
    for (const [name, wanted] of [
      ["zero hits 1", ["sunken"]],
      ["abandoned 2", ["letters", "storm"]],
      ["degraded 0", []],
    ] as const) {
      await list.getByRole("link", { name }).press("Enter");
      await list.getByRole("link", { name }).and(list.locator("[aria-current]")).waitFor();
      assert.equal(await names(), wanted);
    }
    await list.getByText("No query fails so.").waitFor();
    await page.goBack();
    await page.goBack();
    await list.getByText("Make a judging task of these").press("Enter");
    await list.getByRole("textbox", { name: "Task" }).fill("abandoned");
    await list.getByRole("button", { name: "Judge 1 query of books" }).press("Enter");
    await page.waitForURL(/#\/judge\?.*task=abandoned/);
    await page.getByRole("region", { name: "Judging task" }).getByText("1 of 1 queries are not opened yet.").waitFor();
    await page.goBack();
    await list.getByRole("link", { name: "look why for sunken" }).press("Enter");
    await page.waitForURL(/#\/search\?q=sunken&index=books/);
    await page.getByRole("region", { name: "hybrid" }).locator(".hit").first().waitFor();
  },
);

inTab(
  "shows first what customers get: by the template that the log names, with its parameters, rules and facets",
  "#/search?q=letters&index=books",
  async (page) => {
    const first = page.locator(".columns.side > .column").first();
    await first.getByText("9 of 18 searches of 7 days use it.").waitFor({ timeout });
    assert.is(await first.getByRole("heading").textContent(), "what customers get");
    await first.getByText("Rules that apply: beach-reads").waitFor();
    await first.getByText("Facets").press("Enter");
    await first.getByText("Harbour Press 4").waitFor();
    const sent = () => console.gateway.received.filter(({ body }) => body.template).map(({ body }) => body);
    assert.equal(sent().at(-1)?.params, {});
    await first.getByText("Parameters").press("Enter");
    await first.getByLabel("size").fill("3");
    await first.getByLabel("size").press("Tab");
    await waitFor(async () => isDeepStrictEqual(sent().at(-1)?.params, { size: 3 }), { what: "it", timeoutMs: 10_000 });
    await fits(page, 390, 1280);
  },
);

const fields: Readonly<Record<string, object>> = {
  "add a synonym": { "Searched word": "sunken", "Words that it also finds, with commas": "" },
  "add a rule": {
    ...{ Name: "sunken", "Find products": "sunken", "Only in these indexes, one per line": "books" },
    "Searches for exactly these texts, one per line": "sunken",
  },
};
for (const [title, filled] of Object.entries(fields)) {
  inTab(`opens what mends a query with one click, filled in: ${title}`, "#/queries?index=books", async (page) => {
    await page.getByRole("link", { name: `${title} for sunken` }).click({ timeout });
    const form = page.locator("form", { has: page.locator(":focus[data-first]") });
    await form.waitFor();
    const wanted = title === "add a synonym" ? "Words that it also finds, with commas" : "Find products";
    await form.getByLabel(wanted, { exact: true }).and(page.locator(":focus")).waitFor();
    for (const [name, value] of Object.entries(filled))
      assert.is(await form.getByLabel(name, { exact: true }).inputValue(), value, name);
    await fits(page, 390, 1280);
    // Another index without synonyms is not offered any.
    await page.goto(`${console.url}/#/queries?index=films`);
    await page.getByRole("link", { name: "add a rule for films" }).waitFor({ timeout });
    assert.is(await page.getByRole("link", { name: /^add a synonym/ }).count(), 0);
  });
}

inTab(
  "lists the searches of every index, and opens each in its own",
  "#/queries?index=books&everywhere=1",
  async (page) => {
    const films = page.getByRole("link", { name: "look why for films" });
    await films.waitFor({ timeout });
    await fits(page);
    await films.click();
    await page.waitForURL(/q=films&index=films/);
  },
  { width: 390 },
);

inTab(
  "judges by clicks, and takes what was read into a new file, whatever the form says since then",
  "#/measure?index=books&tab=clicks",
  async (page) => {
    await page.getByLabel("Impressions of each, at least").fill("9");
    await page.getByRole("button", { name: "Judge by the clicks in books" }).press("Enter");
    const view = page.getByRole("region", { name: "Click judgments" });
    await view.getByText(/^1 judgments of 1 queries, from 1 clicks; each from 9 to 9 impressions/).waitFor({ timeout });
    await view.getByRole("row", { name: /^letters b1 .* 1 9$/ }).waitFor();
    // Storm has four impressions.
    await view.getByLabel("Impressions of each").fill("1");
    await view.getByLabel("Days").fill("90");
    mkdirSync(join(console.files, "judgments"), { recursive: true });
    writeFileSync(join(console.files, "judgments", "earlier.csv"), "query,doc,grade\nsalt,b1,1\n");
    const file = view.getByRole("textbox", { name: "New judgments file" });
    for (const [name, said] of [
      ["../clicks", "is not a name"],
      ["earlier", "There is a judgments file earlier already"],
      ["clicks", "They are in the judgments file clicks"],
    ] as const) {
      await file.fill(name);
      await file.press("Enter");
      await view.getByText(said).waitFor({ timeout });
    }
    const text = readFileSync(join(console.files, "judgments", "clicks.csv"), "utf8");
    assert.match(text, /^.*\nletters,b1,[\d.]+,books,clicks,9,1\n$/);
    await fits(page, 390, 1280);
  },
);

inTab(
  "prints the report of an experiment, or why there is none",
  "#/measure?index=books&tab=experiments",
  async (page) => {
    const name = page.getByLabel("Experiment of hybrid_search.yaml");
    await name.fill("absent");
    await name.press("Enter");
    await page.getByRole("alert").getByText('no experiment "absent"; it has more_meaning').waitFor({ timeout });
    await name.fill("more_meaning");
    await name.press("Enter");
    const report = page.getByRole("region", { name: "Report" });
    await report.getByText(/^variant +users +searches/).waitFor({ timeout });
    await fits(page);
  },
  { width: 390 },
);

inTab("says in the command's words why there is nothing", "#/queries?index=shop&days=30", async (page) => {
  await page
    .getByRole("alert")
    .getByText("The request log has no search with a text that named shop")
    .waitFor({ timeout });
  await fits(page);
});

test.run();
