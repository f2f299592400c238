import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import { patient } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { configurationFolder } from "../../../../test/fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { storedEvent, storedSearch } from "../../../../test/fixtures/stored-lines.ts";
import { suite } from "../../../../test/suite.ts";
import { fits } from "./axe.ts";
import { startInBrowser } from "./console.ts";

const test = suite("the console's queries, in a browser");

/** The longest time that a report may take on a busy machine. */
const timeout = patient(60_000);

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
  of("letters", 9) +
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

const { console, inTab } = await startInBrowser(test, {
  log: join(folder, "log"),
  conf: configurationFolder("all-options"),
});

inTab(
  "lists what people search for and how it fails; each opens side by side, with the keyboard",
  "#/queries?index=books",
  async (page) => {
    const list = page.getByRole("region", { name: "Queries" });
    const names = () => list.locator("tbody th").allTextContents();
    await list.getByRole("row", { name: /^letters 9 9 0 8 1 / }).waitFor({ timeout });
    assert.equal(await names(), ["letters", "sunken", "storm"]);
    await list.getByText("3 queries. A click compares one in Search.").waitFor();
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
    await list.getByRole("link", { name: "sunken", exact: true }).press("Enter");
    await page.waitForURL(/#\/search\?q=sunken&index=books/);
    await page.getByRole("region", { name: "hybrid" }).locator(".hit").first().waitFor();
  },
);

inTab(
  "lists the searches of every index, and opens each in its own",
  "#/queries?index=books&everywhere=1",
  async (page) => {
    const films = page.getByRole("link", { name: "films", exact: true });
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
