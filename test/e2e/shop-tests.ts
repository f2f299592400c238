import type { Browser } from "playwright-core";
import * as assert from "uvu/assert";
import type { Served } from "../../packages/lab/server/loopback.ts";
import { violations } from "../../packages/lab/test/console/axe.ts";
import { startShop } from "../../packages/local/dev/shop.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { startBrowser } from "../fixtures/browser.ts";
import type { suite } from "../suite.ts";
import { Shop, WIDTHS } from "./shop.ts";

type Suite = ReturnType<typeof suite>;

/** A `make dev` that is ready by the time of the tests. */
interface Running {
  readonly state: DevState;
}

/** Starts a browser for tests that follow. Returns how they open the shop. */
function visits(test: Suite, we: Running) {
  let browser: Promise<Browser> | undefined;
  test.after(async () => (await browser)?.close());
  return async (seen: Partial<Parameters<typeof Shop.open>[2]> = {}) => {
    browser ??= startBrowser();
    return Shop.open(await browser, we.state, { url: we.state.shop?.url ?? "", ...seen });
  };
}

/** Tests the shop page while nothing is trained. */
export function shopBeforeTraining(test: Suite, we: Running): void {
  const openShop = visits(test, we);

  test("the shop page finds books before any training, and says what recommendations need", async () => {
    const shop = await openShop({ width: 360, colorScheme: "dark" });
    assert.is((await shop.books()).length, 12);
    assert.is(await shop.part("#for-you code").innerText(), "make demo-train");
    await shop.part("#hits .card").first().click();
    assert.is(await shop.part("#similar code").innerText(), "make demo-train");
    await shop.isSound("before a training");
    await shop.close();
  });

  test("the shop page says that its key is wrong, or that the services are down", async () => {
    const { search, recommendation } = we.state;
    const [wrong, down] = await Promise.all([
      startShop({ demo: true, key: "wrong", search: search.url, recommendation: recommendation?.url }),
      startShop({ demo: true, key: "wrong", search: "http://127.0.0.1:9", recommendation: "http://127.0.0.1:9" }),
    ]);
    const said: [Served | undefined, RegExp][] = [
      [wrong, /^The page's key was refused: /],
      [down, /^The service does not answer\. Start it, then reload the page: make dev$/],
    ];
    for (const [served, message] of said) {
      const shop = await openShop({ url: served?.url ?? "" });
      for (const place of ["#problem", "#for-you .note"]) {
        await shop.part(place).getByText(message).waitFor();
      }
      assert.equal(await violations(shop.page), []);
      await shop.close();
      await served?.stop();
    }
  });
}

/** Tests the shop page after `make demo-train`. */
export function shopAfterTraining(test: Suite, we: Running): void {
  const openShop = visits(test, we);

  test("the shop page suggests, finds, filters and pages, with the keyboard alone", async () => {
    const shop = await openShop({ url: `${we.state.shop?.url}?sortBy=words` });
    const { keyboard } = shop.page;
    await shop.books();
    await shop.tabTo("#text");
    const several = await shop.searching('"query":"night"', () => keyboard.type("night"));
    await shop.part("#suggestions li").nth(2).waitFor();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await keyboard.press(key);
    const suggested = await shop.part('#suggestions [aria-selected="true"]').innerText();
    assert.is(await shop.part("#text").getAttribute("aria-activedescendant"), "suggestion-0");
    const chosen = await shop.searching(`"query":${JSON.stringify(suggested)}`, () => keyboard.press("Enter"));
    assert.ok(several > chosen && chosen > 0, `${several} books, then ${chosen}`);
    await shop.part("#hits .card").first().getByText(suggested).waitFor();
    assert.not(await shop.part("#suggestions").isVisible());

    await keyboard.press("ControlOrMeta+a");
    const many = await shop.searching('"query":"the"', () => keyboard.type("the"));
    await keyboard.press("Escape");
    await shop.tabTo("#categories input");
    const [facet = "", count = ""] = (await shop.part("#categories label").first().innerText()).split("\n");
    const narrowed = await shop.searching('"categories":[', () => keyboard.press("Space"));
    assert.is(narrowed, Number(count));
    assert.ok(narrowed < many, `${narrowed} of ${many}`);
    await shop.part("#current").getByText(facet).waitFor();
    await shop.isSound("with a filter");
    const [first = ""] = await shop.titles("#hits");
    await shop.tabTo('#pagination [aria-label="Next Page"]');
    // Not exactly as many: which neighbours of the text are found may change while the cluster merges segments.
    const paged = await shop.searching('"from":12', () => keyboard.press("Enter"));
    assert.ok(paged > 12 && paged < many, `${paged} on the second page of ${narrowed}`);
    await shop.part("#pagination .ais-Pagination-item--selected").getByText("2").waitFor();
    await shop.part("#hits .card").first().filter({ hasNotText: first }).waitFor();
    // InstantSearch writes the address 400 ms after the page.
    await shop.page.waitForURL(/page/);

    const second = await shop.titles("#hits");
    await shop.page.reload();
    await shop.books();
    assert.equal(await shop.titles("#hits"), second);
    assert.is(await shop.part("#text").inputValue(), "the");
    assert.equal(shop.problems, []);
    await shop.close();
  });

  test("the shop finds by meaning what words miss, in any order, and sells it", async () => {
    const shop = await openShop({ url: `${we.state.shop?.url}?query=how%20empires%20fall&sortBy=words` });
    const { page } = shop;
    await shop.part("#hits .note").getByText("No book has all words of “how empires fall”").waitFor();
    for (const mode of ["meaning", "both"]) {
      await shop.searching(`"template":"shop_${mode}"`, () => shop.part(`#modes [value="${mode}"]`).check());
      await shop.part("#hits .card").first().getByText("History, ").waitFor();
    }
    await shop.searching('"in_stock":["true"]', () => shop.part("#in-stock input").check());
    await shop.searching('"template":"shop_cheapest_both"', () => shop.part("#order").selectOption("cheapest"));
    await page.waitForURL(/sortBy=both-cheapest/);
    const prices = (await shop.part("#hits .card").allInnerTexts()).map((text) => Number(/€([\d.]+)/.exec(text)?.[1]));
    assert.equal(
      prices,
      prices.toSorted((a, b) => a - b),
    );

    await shop.part("#hits .card").first().click();
    const title = await shop.part("#book-title").innerText();
    await page.reload();
    await shop.part("#book-title").getByText(title).waitFor();
    await shop.part("#book .buy").click();
    await shop.isSound("a book in the basket");
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => url.hash === "");
    await shop.part("#open-basket").getByText("Basket (1)").click();
    await shop.isSound("the basket");
    const sent = ["/application/events", "/log-event"].map((path) =>
      page.waitForRequest((sent) => sent.url().endsWith(path) && !!sent.postData()?.includes('"purchase"')),
    );
    await shop.part("#basket .buy").click();
    await Promise.all(sent);

    await page.goto(`${we.state.shop?.url}?sortBy=words`);
    await shop.part("#text").fill("thrones of dsut");
    await shop.part("#text").press("Enter");
    await shop.part("#meant").getByText("These have “thrones of dust”").waitFor();
    assert.not(await shop.part("#suggestions").isVisible());
    await shop.close();
  });

  test("opening a book in the shop changes what it recommends, and shows similar books", async () => {
    const shop = await openShop();
    const { page } = shop;
    await shop.books();
    const before = await shop.books("#for-you");
    assert.is(await shop.part("#for-you .note").innerText(), "What others read most");
    await shop.tabTo("#hits .card");
    const [title = ""] = await shop.titles("#hits");
    const sent = ["/application/events", "/log-event"].map((path) =>
      page.waitForResponse((answer) => answer.url().endsWith(path) && answer.request().method() === "POST"),
    );
    await page.keyboard.press("Enter");
    const similar = await shop.books("#similar");
    assert.equal([similar.length, similar.includes(title)], [6, false]);
    assert.equal(
      (await Promise.all(sent)).map((answer) => answer.status()),
      [200, 200],
    );
    await page.keyboard.press("Escape");
    await shop.part("#for-you .note").getByText(`Because you looked at ${title}`).waitFor();
    assert.is.not((await shop.titles("#for-you")).join(), before.join());
    assert.ok(await page.evaluate("document.activeElement.matches('#hits .card')"));
    await shop.part("#for-you .card").first().click();
    await shop
      .part("#book-title")
      .getByText((await shop.titles("#for-you"))[0] ?? "")
      .waitFor();
    assert.equal(shop.problems, []);
    await shop.close();
  });

  test("the shop page is accessible on a phone and a laptop, light and dark", async () => {
    for (const width of WIDTHS) {
      for (const colorScheme of ["light", "dark"] as const) {
        const shop = await openShop({ width, colorScheme });
        const what = `${width} ${colorScheme}`;
        await Promise.all([shop.books(), shop.books("#for-you")]);
        await shop.isSound(what);
        await shop.part("#text").fill("the sea");
        await shop.part("#suggestions li").first().waitFor();
        await shop.isSound(`${what}, typing`);
        await shop.part("#text").press("Escape");
        await shop.part("#hits .card").first().click();
        await shop.books("#similar");
        await shop.isSound(`${what}, a book`);
        await shop.close();
      }
    }
  });
}
