// The search client with the forms of InstantSearch for React and Vue, in a browser.
import { join } from "node:path";
import * as assert from "uvu/assert";
import { startBrowser } from "../fixtures/browser.ts";
import { bundleScript } from "../fixtures/browser-script.ts";
import { startUpstreams } from "../fixtures/gateway.ts";
import { BRANDS } from "../fixtures/instantsearch.ts";
import { idsIn, startProductsPage, until } from "../fixtures/instantsearch-page.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";
import { NODE_MODULES } from "./tools.ts";

const test = suite("InstantSearch for React and Vue");

const [cluster] = await clusters();
if (!cluster) throw new Error("there is no cluster to test against");
const upstreams = await startUpstreams();
const browser = await startBrowser();
test.after(async () => {
  await browser.close();
  await upstreams.stop();
});

for (const form of ["react", "vue"]) {
  test(`${form}: finds what is typed, refines by a facet and turns pages`, async () => {
    const script = await bundleScript(join(import.meta.dirname, `programs/instantsearch-${form}.ts`), NODE_MODULES);
    const shop = await startProductsPage({ cluster, browser, script });
    try {
      const { page, problems } = await shop.open();
      const ids = () => idsIn(page);
      const turnTo = (number: string) => page.locator("#pagination a", { hasText: number }).first().click();
      await until(page, ids, ["p0", "p1", "p2", "p3", "p4"]);
      const counts = async () => {
        const texts = await page.locator("#brand li").allTextContents();
        return texts.map((text) => text.replaceAll(/\s/g, "")).toSorted();
      };
      await until(page, counts, BRANDS.map((name) => `${name.replaceAll(" ", "")}10`).toSorted());
      await page.locator("#search-box input").pressSequentially("cha");
      await until(page, ids, ["p1", "p4", "p7", "p10", "p13"]);
      assert.is(await page.locator("#hits mark").first().textContent(), "chair");
      await turnTo("2");
      await until(page, ids, ["p16", "p19", "p22", "p25", "p28"]);
      await page.locator("#search-box input").fill("");
      await until(page, ids, ["p0", "p1", "p2", "p3", "p4"]);
      await page.locator("#brand label", { hasText: "Acme" }).click();
      await until(page, ids, ["p0", "p3", "p6", "p9", "p12"]);
      await turnTo("2");
      await until(page, ids, ["p15", "p18", "p21", "p24", "p27"]);
      assert.equal([await page.evaluate("window.errors"), problems], [[], []]);
      await page.context().close();
    } finally {
      await shop.stop();
    }
  });
}

test.run();
