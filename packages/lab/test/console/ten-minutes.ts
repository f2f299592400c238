import { patient } from "@relevance/processes/wait.ts";
import type { Page } from "playwright-core";
import * as assert from "uvu/assert";

/** A text that people might type, and whether it is answered by the book that a card shows. */
export interface JudgedText {
  text: string;
  isAnsweredBy(card: string): boolean;
}

/** The share of each text's documents that is judged. A verdict needs 60 % of the hits of both variants. */
const JUDGED = 0.65;

/**
 * Walks through the guide's ten minutes on the demo of `make dev`: compare, judge, evaluate, tune, see the change, write
 * it, search again. The texts are judged, at least ten. `shoot` is called where the guide has a picture. Returns the verdicts of evaluation and tuning.
 */
export async function tenMinutes(
  page: Page,
  url: string,
  texts: readonly JudgedText[],
  shoot: (name: string) => Promise<void>,
) {
  const column = (name: string) => page.getByRole("region", { name, exact: true });
  await page.goto(url);
  await column("hybrid").locator(".hit").nth(9).waitFor();
  await column("hybrid").locator(".places").first().waitFor();
  await column("hybrid").locator(".hit .title").first().click();
  await shoot("console-search");
  await column("hybrid").getByRole("slider", { name: "weight of keyword in hybrid" }).fill("0.8");
  await column("hybrid").getByText("Computed here").waitFor();
  await column("hybrid").getByRole("button", { name: "Back to the defaults" }).click();

  for (const name of ["what customers get", "dense", "sparse"])
    await page.getByRole("button", { name: `Remove ${name}` }).click();

  await page.getByRole("link", { name: "Judge" }).click();
  for (const [position, { text, isAnsweredBy }] of texts.entries()) {
    await page.getByRole("searchbox", { name: "Text" }).fill(text);
    await page.keyboard.press("Enter");
    await page.waitForURL((found) => found.hash.includes(new URLSearchParams({ q: text }).toString()));
    // The page focuses the card once it has the documents of the new text.
    await page.locator(".card:focus").waitFor();
    await judge(page, isAnsweredBy);
    if (position === 0) await shoot("console-judge");
  }

  await page.getByRole("link", { name: "Measure" }).click();
  const timeout = patient(120_000);
  await page.getByRole("button", { name: "Evaluate 2 variants" }).click();
  const evaluation = page.getByRole("region", { name: "Evaluation" });
  await evaluation.waitFor({ timeout });
  const evaluated = (await evaluation.getByRole("heading").first().textContent()) ?? "";
  await shoot("console-evaluate");
  await page.getByRole("button", { name: "Tune the hybrid search" }).click();
  const tuning = page.getByRole("region", { name: "Tuning" });
  await tuning.waitFor({ timeout });
  const tuned = (await tuning.getByRole("heading").first().textContent()) ?? "";
  await tuning.getByRole("button", { name: "Write to hybrid_search.yaml" }).click();
  await tuning.locator(".added").first().waitFor();
  await tuning.getByRole("button", { name: "Write this change" }).scrollIntoViewIfNeeded();
  await shoot("console-tune");
  await tuning.getByRole("button", { name: "Write this change" }).click();
  await tuning.getByText("Written to").waitFor();
  await tuning.getByRole("button", { name: "Compare in Search" }).click();
  await column("tuned 3").locator(".hit, [role=alert]").first().waitFor();
  assert.equal(await column("tuned 3").getByRole("alert").allTextContents(), []);
  // Another place begins at its top.
  assert.is(await page.evaluate("scrollY"), 0);
  await shoot("console-tuned");
  return { evaluated, tuned };
}

/** Judges {@link JUDGED} of a text's documents by key press. */
async function judge(page: Page, isAnsweredBy: JudgedText["isAnsweredBy"]): Promise<void> {
  const card = page.getByRole("region", { name: "Document to judge" });
  await card.waitFor();
  const [, all] = /of (\d+) judged/.exec((await card.textContent()) ?? "") ?? [];
  const count = Math.ceil(JUDGED * Number(all));
  for (let judged = 1; judged <= count; judged += 1) {
    const text = (await card.textContent()) ?? "";
    assert.ok(text !== "");
    await page.keyboard.press(isAnsweredBy(text) ? "3" : "0");
    await card.getByText(new RegExp(`^${judged} of \\d+ judged`)).waitFor();
  }
}
