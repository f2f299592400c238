import type { Page } from "playwright-core";
import * as assert from "uvu/assert";
import { patient } from "../../../local/process/wait.ts";

/** Texts that people might type, each with words that only the description of a relevant book contains. */
const TEXTS: Readonly<Record<string, string>> = {
  "French desserts by Dalgaard": "confectioner",
  "a composer who lost his hearing": "went deaf",
  "backpacking with kids": "two small children",
  "colonial partition of Africa": "the Congo",
  "peace between hostile planets": "Two fleets",
  "unsolved mathematical problems": "Primes thin out",
  "food supply of Rome": "bread from Egypt",
  "a robot refuses an order": "refuses an order",
  "an astronaut wakes from cold sleep": "cold sleep",
  "a fake engagement": "pretended engagement",
};

/** How many judgments the first text gets; every other gets {@link FEW}. */
const MANY = 10;
const FEW = 4;

/**
 * Walks through the guide's ten minutes on the demo of `make dev`: compare, judge, evaluate, tune, see the change, write
 * it, search again. `shoot` is called where the guide has a picture. Returns the text of the tuning's verdict.
 */
export async function tenMinutes(page: Page, url: string, shoot: (name: string) => Promise<void>): Promise<string> {
  const column = (name: string) => page.getByRole("region", { name, exact: true });
  await page.goto(url);
  await column("hybrid").locator(".hit").nth(9).waitFor();
  await column("hybrid").locator(".places").first().waitFor();
  await column("hybrid").locator(".hit .title").first().click();
  await shoot("console-search");
  await column("hybrid").getByRole("slider", { name: "weight of keyword in hybrid" }).fill("0.8");
  await column("hybrid").getByText("Computed here").waitFor();
  await column("hybrid").getByRole("button", { name: "Back to the defaults" }).click();

  await page.getByRole("link", { name: "Judge" }).click();
  for (const [position, [text, words]] of Object.entries(TEXTS).entries()) {
    await page.getByRole("searchbox", { name: "Text" }).fill(text);
    await page.keyboard.press("Enter");
    await page.waitForURL((found) => found.hash.includes(new URLSearchParams({ q: text }).toString()));
    // The page focuses the card once it has the documents of the new text.
    await page.locator(".card:focus").waitFor();
    await judge(page, words, position === 0 ? MANY : FEW);
    if (position === 0) await shoot("console-judge");
  }

  await page.getByRole("link", { name: "Measure" }).click();
  const timeout = patient(120_000);
  await page.getByRole("button", { name: "Evaluate 4 variants" }).click();
  await page.getByRole("region", { name: "Evaluation" }).waitFor({ timeout });
  await shoot("console-evaluate");
  await page.getByRole("button", { name: "Tune the hybrid search" }).click();
  const tuning = page.getByRole("region", { name: "Tuning" });
  await tuning.waitFor({ timeout });
  const verdict = (await tuning.getByRole("heading").first().textContent()) ?? "";
  await tuning.getByRole("button", { name: "Write to hybrid_search.yaml" }).click();
  await tuning.locator(".added").first().waitFor();
  await tuning.getByRole("button", { name: "Write this change" }).scrollIntoViewIfNeeded();
  await shoot("console-tune");
  await tuning.getByRole("button", { name: "Write this change" }).click();
  await tuning.getByText("Written to").waitFor();
  await tuning.getByRole("button", { name: "Compare in Search" }).click();
  await column("tuned 5").locator(".hit, [role=alert]").first().waitFor();
  assert.equal(await column("tuned 5").getByRole("alert").allTextContents(), []);
  await page.evaluate("scrollTo(0, 0)");
  await shoot("console-tuned");
  return verdict;
}

/** Judges by key press: a document with these words is relevant. */
async function judge(page: Page, words: string, count: number): Promise<void> {
  const card = page.getByRole("region", { name: "Document to judge" });
  await card.waitFor();
  for (let judged = 1; judged <= count; judged += 1) {
    const text = (await card.textContent()) ?? "";
    assert.ok(text !== "");
    await page.keyboard.press(text.includes(words) ? "3" : "0");
    await card.getByText(new RegExp(`^${judged} of \\d+ judged`)).waitFor();
  }
}
