import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { violations } from "./axe.ts";
import { openTab, startInBrowser, tabTo } from "./console.ts";

const test = suite("the console's accessibility, in a browser");

const history = async () => [{ item: "b4", type: "view", when: "2026-01-02T03:04:05.000Z" }];
const { browser, console } = await startInBrowser(test, { history });

/** An element of each place that appears once the place is complete. */
const PLACES: Record<string, string> = {
  "#/search?q=letters&index=books": ".hit",
  "#/judge?q=letters&index=books": ".card h2",
  "#/measure?index=books": "form",
  "#/recommend?user=U1&index=books&item=b1": ".hit",
  "#/recommend?index=books": ".picks button",
};

for (const width of [390, 1280]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`axe finds no problem in any place, and none scrolls sideways: ${width} pixels, ${colorScheme}`, async () => {
      for (const [place, whole] of Object.entries(PLACES)) {
        const { page, problems, close } = await openTab(browser, console, place, width);
        await page.emulateMedia({ colorScheme });
        await page.locator(whole).first().waitFor();
        assert.equal(await violations(page), [], place);
        assert.is(await page.evaluate("document.documentElement.scrollWidth"), width, place);
        assert.equal(problems, [], place);
        await close();
      }
    });
  }
}

test("axe finds no accessibility problem in an opened hit and an error", async () => {
  const { page, close } = await openTab(browser, console, "#/search?q=letters&index=books");
  await page.getByText("Shown of each hit").click();
  await page.locator(".hit .title").first().click();
  await page.locator(".curl summary").first().click();
  console.gateway.fail("forbidden");
  await page.getByRole("searchbox", { name: "Text" }).fill("storm");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").first().waitFor();
  assert.equal(await violations(page), []);
  console.gateway.fail("none");
  await close();
});

test("search, reasons, weights and judging work with the keyboard alone", async () => {
  const { page, close } = await openTab(browser, console, "#/search?index=books");
  const { keyboard } = page;
  assert.is(await tabTo(page, page.getByRole("button", { name: "Skip to the content" })), 1);
  await tabTo(page, page.getByRole("searchbox", { name: "Text" }));
  await keyboard.type("letters");
  await keyboard.press("Enter");
  await tabTo(page, page.getByRole("button", { name: "The Keeper of the Lamp" }));
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Explain in the cluster's words" }).first().waitFor();
  await page.getByRole("slider", { name: "weight of dense in hybrid" }).focus();
  await keyboard.press("End");
  await page.getByText("Computed here").waitFor();
  await page.getByRole("link", { name: "Judge" }).focus();
  await keyboard.press("Enter");
  await page.locator(".card h2").waitFor();
  await keyboard.press("2");
  await page.getByRole("status").getByText("1 of 5 judged.").waitFor();
  await close();
});

test.run();
