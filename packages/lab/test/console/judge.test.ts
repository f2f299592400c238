import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { readJudgments } from "../../judgments/read.ts";
import { fits } from "./axe.ts";
import { openTab, startInBrowser } from "./console.ts";

const test = suite("the console's judging, in a browser");

const { browser, console } = await startInBrowser(test);

const fileOf = (name: string) => join(console.files, "judgments", `${name}.csv`);

async function judging(name: string) {
  return judged(await openTab(browser, console, `#/judge?q=letters&index=books&judgments=${name}`));
}

/** Waits for the card of a tab. */
async function judged(tab: Awaited<ReturnType<typeof openTab>>) {
  const open = withCard(tab);
  await open.card.waitFor();
  return open;
}

function withCard(tab: Awaited<ReturnType<typeof openTab>>) {
  const card = tab.page.getByRole("region", { name: "Document to judge" });
  const title = () => card.getByRole("heading").textContent();
  const says = (text: string) => tab.page.getByRole("status").getByText(text).waitFor();
  return { ...tab, card, title, says };
}

/** Opens a place under a name; the page asks for it once. */
async function named(name: string, place: string) {
  const tab = await openTab(browser, console, place);
  await tab.page.getByRole("textbox", { name: "Your name" }).fill(name);
  await tab.page.keyboard.press("Tab");
  return withCard(tab);
}

test("grades by key press, saves at once, and moves to the next", async () => {
  const { page, title, says, problems, close } = await judging("keys");
  const first = await title();
  await page.keyboard.press("3");
  await says("exactly this. 1 of 5 judged.");
  assert.is.not(await title(), first);
  await page.keyboard.press("0");
  await says("not relevant. 2 of 5 judged.");
  await page
    .getByText(/Of the hits here \d+ % of keyword, .* are judged; a verdict needs 60 % of each over all queries\./)
    .waitFor();
  const grades = [...(readJudgments(fileOf("keys")).get("letters")?.values() ?? [])];
  assert.equal(grades, [3, 0]);
  assert.equal(problems, []);
  await close();
});

test("shows no document before the gateway has searched with weights that the page only computed", async () => {
  const tab = await openTab(browser, console, "#/search?q=letters&index=books&judgments=computed");
  const { page } = tab;
  await page.locator(".hit").first().waitFor();
  await page.getByRole("slider", { name: "weight of dense in hybrid" }).focus();
  await page.keyboard.press("End");
  await page.getByText("Computed here").waitFor();
  await page.evaluate(`globalThis.shown = 0; new MutationObserver(() => {
    if (document.querySelector(".card")) globalThis.shown += 1;
  }).observe(document.body, { childList: true, subtree: true })`);
  const release = console.gateway.hold();
  const searched = page.waitForRequest(/\/hybrid-search$/);
  await page.getByRole("link", { name: "Judge" }).click();
  await searched;
  assert.is(await page.evaluate("globalThis.shown"), 0);
  release();
  const { says, problems, close } = await judged(tab);
  await page.keyboard.press("2");
  await says("1 of 5 judged.");
  assert.equal(problems, []);
  await close();
});

test("opens with the hits of the search that the user comes from, without another search", async () => {
  const tab = await openTab(browser, console, "#/search?q=letters&index=books&judgments=at-once");
  await tab.page.locator(".hit").first().waitFor();
  await tab.page.getByRole("status").getByText("variants searched for letters").waitFor();
  const searches = console.gateway.received.length;
  // The file's earlier content arrives after the judgment.
  const read = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await tab.page.route("**/api/judgments/rows*", async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    const response = await route.fetch();
    read.resolve();
    await held.promise;
    await route.fulfill({ response });
  });
  await tab.page.getByRole("link", { name: "Judge" }).click();
  const { page, card, says, problems, close } = await judged(tab);
  await read.promise;
  await page.keyboard.press("2");
  await says("relevant. 1 of 5 judged.");
  const late = page.waitForResponse((response) => response.request().method() === "GET");
  held.resolve();
  await (await late).finished();
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  assert.match((await card.textContent()) ?? "", "1 of 5 judged.");
  assert.match(readFileSync(fileOf("at-once"), "utf8"), /letters,\w+,2/);
  assert.is(console.gateway.received.length, searches);
  assert.equal(problems, []);
  await close();
});

test("undoes with u, moves with the arrows, and leaves keys to text fields", async () => {
  const { page, title, says, close } = await judging("back");
  const first = await title();
  await page.keyboard.press("2");
  await says("relevant. 1 of 5 judged.");
  await page.keyboard.press("u");
  await says("Taken back");
  assert.is(await title(), first);
  assert.is(readFileSync(fileOf("back"), "utf8"), "query,doc,grade,index,who,when\n");
  await page.keyboard.press("ArrowRight");
  await waitFor(async () => (await title()) !== first, { what: "the next document", timeoutMs: 10_000 });
  await page.keyboard.press("ArrowLeft");
  await waitFor(async () => (await title()) === first, { what: "the first document", timeoutMs: 10_000 });
  await page.getByRole("searchbox", { name: "Text" }).press("3");
  assert.is(readFileSync(fileOf("back"), "utf8"), "query,doc,grade,index,who,when\n");
  await close();
});

test("shows earlier judgments, but no rank", async () => {
  const before = await judging("kept");
  await before.page.getByRole("button", { name: "1 related" }).click();
  await before.says("related. 1 of 5 judged.");
  await before.close();
  const { page, card, close } = await judging("kept");
  await card.getByText("1 of 5 judged").waitFor();
  await page.getByText("grade 1").waitFor();
  assert.is(await page.locator(".places").count(), 0);
  await close();
});

test("proposes what to check of a language model's judgments, and does not show its grades", async () => {
  const header = "query,doc,grade,index,who,when,origin\n";
  const byModel = (query: string, docs: readonly string[]) =>
    docs.map((doc) => `${query},${doc},3,books,small,2026-11-26T00:00:00Z,model\n`).join("");
  mkdirSync(join(console.files, "judgments"), { recursive: true });
  writeFileSync(fileOf("model"), header + byModel("letters", ["b1", "b9"]) + byModel("salt", ["b2"]));
  const tab = await openTab(browser, console, "#/judge?q=salt&index=books&judgments=model");
  const { page, card, says, problems, close } = await judged(tab);
  const proposal = page.locator(".check");
  await proposal.getByText("A language model judged 2 queries; people have checked 0. A verdict needs 2.").waitFor();
  await proposal.getByRole("link", { name: "Check the next: letters" }).click();
  // Only what the model judged; b9 too, which no column finds.
  await card.getByText("0 of 2 judged.").waitFor();
  assert.is(await page.getByText("grade 3").count(), 0);
  for (const done of [1, 2]) {
    await page.keyboard.press("1");
    await says(`related. ${done} of 2 judged.`);
  }
  await proposal.getByText("people have checked 1.").waitFor();
  const rows = readFileSync(fileOf("model"), "utf8");
  assert.is(rows.match(/,3,books,small,.*,model$/gm)?.length, 3);
  assert.is(rows.match(/^letters,b[19],1,books,.*,people$/gm)?.length, 2);
  await fits(page);
  assert.equal(problems, []);
  await close();
});

test("a file of queries becomes a task, which a rater continues at the first open document", async () => {
  const { page, card, says, problems, close } = await named("Ada", "#/judge?index=books&judgments=task");
  const task = page.getByRole("region", { name: "Judging task" });
  await task.getByText("New task from a file of queries").press("Enter");
  const buffer = Buffer.from("letters\r\n\n storm \nletters\n");
  await page.getByLabel("A query on each line").setInputFiles({ name: "q.txt", mimeType: "text/plain", buffer });
  const form = page.getByRole("form", { name: "New judging task" });
  for (const name of ["../evil", "spring"]) {
    await form.getByRole("textbox", { name: "Task" }).fill(name);
    await form.getByLabel("Hits of each variant").fill("2");
    await form.getByRole("button", { name: "Judge 3 queries of books" }).press("Enter");
    if (name !== "spring") await form.getByText("is not a name").waitFor();
  }
  // Comes to the first query by itself, and fixes its documents.
  await card.waitFor();
  await page.waitForURL(/q=letters/);
  const [, count = ""] = /0 of (\d) judged/.exec((await card.textContent()) ?? "") ?? [];
  assert.ok(Number(count) >= 2 && Number(count) < 5, count);
  await card.focus();
  await page.keyboard.press("3");
  await says(`1 of ${count} judged.`);
  await task.getByText(`0 of ${count} documents have 2 grades; 1 of 2 queries are not opened yet.`).waitFor();
  await task.getByText(`Ada: 1 of ${count}`).waitFor();
  const stays = await card.getByRole("heading").textContent();
  await page.goto(`${console.url}/#/judge?index=books&judgments=task&task=spring`);
  await page.reload();
  await card.waitFor();
  assert.is(await card.getByRole("heading").textContent(), stays);
  for (let done = 2; done <= Number(count); done += 1) {
    await page.keyboard.press("1");
    await says(`${done} of ${count} judged.`);
  }
  await fits(page, 390, 1280);
  await page.keyboard.press("n");
  await page.waitForURL(/q=storm/);
  await task.getByText("0 of 2 queries are not opened yet.").waitFor();
  assert.equal(problems, []);
  await close();
});

const RATERS = "#/judge?q=letters&index=books&judgments=raters";

test("two raters judge blind, and a third decides between them, with the keyboard", async () => {
  for (const [name, keys] of [
    ["Ada", ["3", "2", "1", "0", "1"]],
    ["Ben", ["3", "2", "1", "3", "1"]],
  ] as const) {
    const { page, card, says, problems, close } = await named(name, RATERS);
    await card.focus();
    await card.getByText("0 of 5 judged").waitFor();
    assert.is(await page.locator(".tag.given").count(), 0);
    assert.is(await page.locator(".agreement").count(), 0);
    for (const [at, key] of keys.entries()) {
      await page.keyboard.press(key);
      await says(`${at + 1} of 5 judged.`);
    }
    await page.reload();
    await card.getByText("5 of 5 judged").waitFor();
    assert.is(await page.getByRole("textbox", { name: "Your name" }).inputValue(), name);
    assert.equal(problems, []);
    await close();
  }
  const { page, card, says, problems, close } = await named("Dora", RATERS);
  await card.getByText("0 of 5 judged").waitFor();
  // What evaluations count, whoever judged.
  await page.getByText("Of the hits here 100 % of keyword, 100 % of dense,").waitFor();
  const agreement = page.locator(".agreement");
  await agreement.locator("summary").press("Enter");
  await agreement.getByText(/^Weighted kappa 0\.\d\d \(an interval needs 10 queries\), on 5 documents/).waitFor();
  await agreement.getByText("1 disagreements, ").waitFor();
  const decision = agreement.getByRole("button", { name: "2 relevant" });
  for (const [key, said, isPressed, grades] of [
    ["Enter", "Decided: relevant", true, [1, 1, 2, 2, 3]],
    ["Space", "Decision taken back", false, [0, 1, 1, 2, 3]],
  ] as const) {
    await decision.press(key);
    await says(said);
    await decision.and(page.locator(`[aria-pressed=${isPressed}]`)).waitFor();
    // Keys of grades are the card's alone.
    await decision.press("1");
    await card.getByText("0 of 5 judged").waitFor();
    const stored = [...(readJudgments(fileOf("raters")).get("letters")?.values() ?? [])];
    assert.equal(stored.toSorted(), grades);
  }
  await fits(page, 390, 1280);
  assert.equal(problems, []);
  await close();
});

test.run();
