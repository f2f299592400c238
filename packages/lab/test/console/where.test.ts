import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { fits } from "./axe.ts";
import { KEY, openTab, startInBrowser } from "./console.ts";

const test = suite("where a document is, and the columns as a page, in a browser");

const { browser, console, inTab } = await startInBrowser(test);

inTab(
  "says where each column has a document, and why it is not higher, with the keyboard",
  "#/search?q=letters&index=books",
  async (page) => {
    await page.getByRole("region", { name: "hybrid" }).locator(".hit").first().waitFor();
    await page.getByText("Where is a document?").press("Enter");
    await page.getByLabel("Id or title of a document").fill("b3");
    await page.getByLabel("Id or title of a document").press("Enter");
    const hybrid = page.getByRole("region", { name: "b3 in hybrid" });
    await hybrid.getByText("answer 2").waitFor();
    const steps = await hybrid.locator("dt").allTextContents();
    assert.equal(steps, ["keyword –", "dense 1", "sparse 2", "fused list 2", "answer 2"]);
    await hybrid.getByText("Does not match: no part of the query finds it.").waitFor();
    await hybrid.getByText("Nothing comes from keyword.").waitFor();
    await page.getByRole("region", { name: "b3 in keyword" }).getByText("answer –").waitFor();
    assert.match(page.url(), "doc=b3");
    // Until another document is found, nothing of this one stands under its name.
    const release = console.gateway.hold();
    await page.getByLabel("Id or title of a document").fill("b1");
    await page.getByLabel("Id or title of a document").press("Enter");
    const other = page.getByRole("region", { name: "b1 in hybrid" });
    await other.getByText("Looking for it …").waitFor();
    assert.is(await other.locator("dt").count(), 0);
    release();
    await other.getByText("answer").waitFor();
  },
);

inTab(
  "opens by its link and from a hit, on a phone, light and dark",
  "#/search?q=letters&index=books&doc=b9",
  async (page) => {
    const hybrid = page.getByRole("region", { name: "b9 in hybrid" });
    await hybrid.getByText("No document has this id in the index, or the key may not see it.").waitFor();
    await fits(page);
    await page
      .getByRole("region", { name: "hybrid", exact: true })
      .getByRole("button", { name: "A Sunken Bell" })
      .click();
    await page.getByRole("link", { name: "Where is it in every column?" }).click();
    await page.getByRole("region", { name: "b3 in dense" }).getByText("answer 1").waitFor();
  },
  { width: 390 },
);

test("saves the columns as a page without scripts, key or gateway, by keyboard", async () => {
  const { page, problems, close } = await openTab(browser, console, "#/search?q=letters&index=books&user=U0001");
  await page.getByRole("status").getByText("variants searched for letters").waitFor();
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as HTML" }).press("Enter"),
  ]);
  assert.is(saved.suggestedFilename(), "search-letters.html");
  const file = join(console.files, "saved.html");
  await saved.saveAs(file);
  const html = readFileSync(file, "utf8");
  for (const absent of ["<script", "<button", KEY, "http://", "127.0.0.1", "U0001"])
    assert.not.ok(html.includes(absent), absent);
  await page.goto(pathToFileURL(file).href);
  const hybrid = page.locator("section", { has: page.getByRole("heading", { name: "hybrid" }) });
  assert.match(
    (await hybrid.getByRole("listitem").first().textContent()) ?? "",
    /keyword \S+ · dense \S+ · sparse \S+/,
  );
  await fits(page, 1280, 390);
  // It loads nothing but itself.
  assert.equal(problems, [pathToFileURL(file).href]);
  await close();
});

test.run();
