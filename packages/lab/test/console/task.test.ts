import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { openTab, startInBrowser } from "./console.ts";

const test = suite("the console's judging tasks, in a browser");

const { browser, console } = await startInBrowser(test);

/** Stores a task, and opens it under a name. */
async function opened(name: string, queries: readonly string[]) {
  const file = join(console.files, "tasks", `${name}.json`);
  mkdirSync(join(console.files, "tasks"), { recursive: true });
  const task = { judgments: "mine", index: "books", depth: 2, raters: 2, queries: queries.map((query) => ({ query })) };
  writeFileSync(file, JSON.stringify(task));
  const { page, ...tab } = await openTab(browser, console, `#/judge?index=books&judgments=mine&task=${name}`);
  await page.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await page.keyboard.press("Tab");
  const fixed = (): string[] =>
    JSON.parse(readFileSync(file, "utf8")).queries.flatMap((one: { query: string; documents?: string[] }) =>
      one.documents ? [one.query] : [],
    );
  const card = page.getByRole("region", { name: "Document to judge" });
  return { ...tab, page, fixed, card, view: page.getByRole("region", { name: "Judging task" }) };
}

test("fixes no documents while a column lacks a part, and goes on to the next query", async () => {
  console.gateway.fail("paused");
  const { page, fixed, card, view, problems, close } = await opened("paused", ["letters", "storm"]);
  const stuck = page.getByText("This query could not be opened");
  await page.waitForURL(/q=letters/);
  await stuck.getByText("goes to the next open query").waitFor();
  await view.getByRole("link", { name: "Continue with storm" }).waitFor();
  console.gateway.fail("none");
  await view.getByRole("link", { name: "Continue with storm" }).focus();
  await page.keyboard.press("n");
  await page.waitForURL(/q=storm/);
  await card.waitFor();
  assert.equal(fixed(), ["storm"]);
  await view.getByText("Could not be opened: letters.").waitFor();
  await page.goBack();
  await page.waitForURL(/q=letters/);
  await card.waitFor();
  await view.getByText("0 of 2 queries are not opened yet").waitFor();
  assert.equal(fixed(), ["letters", "storm"]);
  assert.equal(problems, []);
  await close();
});

test("applies at its own index alone, whatever the form searches in", async () => {
  const { page, fixed, card, view, problems, close } = await opened("moved", ["letters", "storm"]);
  await card.waitFor();
  await page.getByRole("combobox", { name: "Index" }).selectOption({ label: "another index …" });
  await page.getByRole("textbox", { name: "Index" }).fill("shop-live");
  await page.getByRole("searchbox", { name: "Text" }).fill("storm");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("searched for storm").waitFor();
  await view.getByText("The task is about the index books and the judgments file mine.").waitFor();
  assert.equal(fixed(), ["letters"]);
  await view.getByRole("link", { name: "Continue there" }).press("Enter");
  await page.waitForURL(/q=letters.*index=books/);
  await card.waitFor();
  assert.equal(fixed(), ["letters"]);
  assert.equal(problems, []);
  await close();
});

test("shows no card of the query before while the next one is searched for", async () => {
  const { page, card, problems, close } = await opened("slow", ["letters", "storm"]);
  await card.waitFor();
  const release = console.gateway.hold();
  await page.getByRole("searchbox", { name: "Text" }).fill("storm");
  await page.keyboard.press("Enter");
  await card.waitFor({ state: "detached" });
  release();
  await card.waitFor();
  assert.equal(problems, []);
  await close();
});

test("keeps a name that is being typed while the page gets its documents", async () => {
  const release = console.gateway.hold();
  const { page, close } = await openTab(browser, console, "#/judge?q=letters&index=books&judgments=typed");
  const field = page.getByRole("textbox", { name: "Your name" });
  await field.pressSequentially("Ada L");
  release();
  await page.getByRole("region", { name: "Document to judge" }).waitFor();
  assert.is(await field.inputValue(), "Ada L");
  await close();
});

test.run();
