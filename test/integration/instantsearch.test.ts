import { join } from "node:path";
import type { Page } from "playwright-core";
import * as assert from "uvu/assert";
import { startBrowser } from "../fixtures/browser.ts";
import { bundleScript } from "../fixtures/browser-script.ts";
import { ROOT } from "../fixtures/env.ts";
import { startUpstreams } from "../fixtures/gateway.ts";
import { BRANDS } from "../fixtures/instantsearch.ts";
import { idsIn, type ProductsPage, startProductsPage, until } from "../fixtures/instantsearch-page.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("InstantSearch in a browser");

const script = await bundleScript(join(ROOT, "packages/clients/instantsearch/test/page.ts"));
const upstreams = await startUpstreams();
const browser = await startBrowser();

// Nothing here depends on the version of the cluster.
for (const cluster of (await clusters()).slice(-1)) {
  let shop: ProductsPage;
  test.before(async () => {
    shop = await startProductsPage({ cluster, browser, script });
  });
  test.after(() => shop.stop());

  const open = (path?: string) => shop.open(path);
  const ids = idsIn;
  const counts = async (page: Page, place: string) => {
    const items = page.locator(`#${place} li:not(:has(li))`);
    return (await items.allTextContents()).map((text) => text.replaceAll(/\s+/g, " ").trim());
  };
  const checkbox = (page: Page, place: string, name: string) => page.locator(`#${place} label`, { hasText: name });

  test(`${cluster.version}: shows hits, counts, ranges and pages`, async () => {
    const { page, problems } = await open();
    await until(page, () => ids(page), ["p0", "p1", "p2", "p3", "p4"]);
    assert.match((await page.locator("#stats").textContent()) ?? "", /^30 results found/);
    assert.equal(await counts(page, "brand"), BRANDS.map((name) => `${name}10`).toSorted());
    const [min, max] = [page.locator("#price-input input").first(), page.locator("#price-input input").last()];
    assert.equal([await min.getAttribute("placeholder"), await max.getAttribute("placeholder")], ["0", "58"]);
    await page.locator("#pagination a", { hasText: "6" }).click();
    await until(page, () => ids(page), ["p25", "p26", "p27", "p28", "p29"]);
    assert.equal(problems, []);
    assert.equal(await page.evaluate("window.errors"), []);
    await page.context().close();
  });

  test(`${cluster.version}: finds what is typed from the first letters, and marks it in escaped texts`, async () => {
    const { page, problems } = await open();
    await page.locator("#search-box input").pressSequentially("char", { delay: 0 });
    await page.locator("#search-box input").fill("cha");
    await until(page, () => ids(page), ["p1", "p4", "p7", "p10", "p13"]);
    // The same hits are shown for a moment while the letters are typed.
    await until(
      page,
      async () => (await page.locator("#stats").textContent())?.match(/^\d+ results/)?.[0],
      "10 results",
    );
    await page.locator("#search-box input").fill("table 29");
    await until(page, async () => (await ids(page))[0], "p29");
    const first = page.locator("#hits [data-id]").first();
    assert.equal(await first.locator("mark, .ais-Highlight-highlighted").allTextContents(), ["table", "29"]);
    assert.equal(await first.locator("i").count(), 0);
    assert.is((await first.locator("a").textContent())?.trim(), "table <i>number</i> 29");
    await page.locator("#search-box input").fill("nothing of this");
    await until(page, () => ids(page), []);
    assert.equal(problems, []);
    await page.context().close();
  });

  test(`${cluster.version}: filters by values, keeps the counts of the others, and clears`, async () => {
    const { page, problems } = await open();
    await checkbox(page, "brand", "Acme").click();
    await until(page, () => ids(page), ["p0", "p3", "p6", "p9", "p12"]);
    assert.is((await counts(page, "brand")).length, 3);
    await checkbox(page, "brand", "Minus").click();
    await until(page, () => ids(page), ["p0", "p1", "p3", "p4", "p6"]);
    await checkbox(page, "brand", "Sons").click();
    await until(page, () => ids(page), ["p0", "p1", "p2", "p3", "p4"]);
    await checkbox(page, "brand", "Acme").click();
    await until(page, () => ids(page), ["p1", "p2", "p4", "p5", "p7"]);
    const current = async () =>
      (await page.locator("#current .ais-CurrentRefinements-categoryLabel").allTextContents()).length;
    assert.is(await current(), 2);
    await page.locator("#free label").click();
    await until(page, () => ids(page), ["p2", "p4", "p8", "p10", "p14"]);
    await page.locator("#clear button").click();
    await until(page, () => ids(page), ["p0", "p1", "p2", "p3", "p4"]);
    assert.is(await current(), 0);
    assert.equal(problems, []);
    await page.context().close();
  });

  test(`${cluster.version}: filters by ranges from inputs, a menu and a slider`, async () => {
    const { page, problems } = await open();
    await page.locator("#price-input input").first().fill("21");
    await page.locator("#price-input input").last().fill("30");
    await page.locator("#price-input button").click();
    await until(page, () => ids(page), ["p11", "p12", "p13", "p14", "p15"]);
    await page.locator("#clear button").click();
    await checkbox(page, "price-menu", "from 50").click();
    await until(page, () => ids(page), ["p25", "p26", "p27", "p28", "p29"]);
    await checkbox(page, "price-menu", "30").click();
    await until(page, () => ids(page), ["p15"]);
    await page.locator("#clear button").click();
    await until(page, () => ids(page), ["p0", "p1", "p2", "p3", "p4"]);
    await page.locator("#price-slider [role=slider]").first().focus();
    await page.keyboard.press("PageUp");
    await until(page, async () => (await ids(page))[0] !== "p0", true);
    assert.equal(problems, []);
    await page.context().close();
  });

  test(`${cluster.version}: opens the levels of a hierarchy, and sorts by another template`, async () => {
    const { page, problems } = await open();
    await page.locator("#category a", { hasText: "Home" }).click();
    await until(page, () => counts(page, "category"), ["chair10", "lamp10", "table10"]);
    await page.locator("#category a", { hasText: "lamp" }).click();
    await until(page, () => ids(page), ["p0", "p3", "p6", "p9", "p12"]);
    await until(page, () => counts(page, "category"), ["chair10", "lamp10", "table10"]);
    await page.locator("#sort-by select").selectOption("shop_cheap");
    await until(page, () => ids(page), ["p27", "p24", "p21", "p18", "p15"]);
    assert.equal(problems, []);
    await page.context().close();
  });

  test(`${cluster.version}: reports clicks and conversions with their search and place`, async () => {
    const { page, problems } = await open();
    await page.locator("#pagination a", { hasText: "2" }).click();
    await until(page, () => ids(page), ["p5", "p6", "p7", "p8", "p9"]);
    const sent = async (act: () => Promise<void>) => {
      const [call] = await Promise.all([page.waitForRequest(/\/application\/events$/), act()]);
      return { event: call.postDataJSON().events[0], status: (await call.response())?.status() };
    };
    const second = page.locator("#hits [data-id]").nth(1);
    for (const [act, action_name, message] of [
      [() => second.locator("a").click(), "click", "Product clicked"],
      [() => second.locator("button").click(), "conversion", "Product bought"],
    ] as const) {
      const { event, status } = await sent(act);
      const { timestamp: _, query_id, ...rest } = event;
      assert.is(status, 200);
      assert.match(query_id, /^[0-9a-f-]{36}$/);
      const position = { ordinal: 7 };
      assert.equal(rest, { action_name, message, event_attributes: { object: { object_id: "p6" }, position } });
    }
    assert.equal(problems, []);
    await page.context().close();
  });

  test(`${cluster.version}: says what the gateway refuses`, async () => {
    const { page } = await open();
    await page.locator("#sort-by select").selectOption("shop_broken");
    const first = async () => String(await page.evaluate("window.errors[0]")).slice(0, 12);
    await until(page, first, "SearchError:");
    await page.context().close();
  });
}

test.after(async () => {
  await browser.close();
  await upstreams.stop();
});
test.run();
