import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import * as assert from "uvu/assert";
import { s3DocumentBucket, versionedDocument } from "../../lib/platform/aws/versioned-documents.ts";
import { RULES } from "../../lib/search/rules/name.ts";
import { violations } from "../../packages/lab/test/console/axe.ts";
import type { TestGateway } from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { PRODUCTS } from "../fixtures/lamp-shop.ts";
import { request } from "../fixtures/opensearch.ts";
import { startShop } from "../fixtures/shop-console.ts";
import { suite } from "../suite.ts";

/** Five problems of a shop, each found and mended in the console by the clicks of a person. */
const test = suite("five problems mended in the console");

const shop = await startShop({ name: "merchandise", embeddings: [] });
const { cluster, index, conf } = shop;
let gateway: TestGateway;
let page: Page;
let tab: Awaited<ReturnType<typeof shop.open>>;

test.before(async () => {
  const properties = { text: { type: "text" }, maker: { type: "keyword" } };
  await request(cluster, "PUT", `/${index}`, { mappings: { properties } });
  for (const [id, doc] of Object.entries(PRODUCTS)) await request(cluster, "PUT", `/${index}/_doc/${id}`, doc);
  await request(cluster, "POST", `/${index}/_refresh`);
  gateway = await shop.deploy();
  tab = await shop.open();
  page = tab.page;
});

test.after(() => shop.stop());

interface Found extends Json {
  rules?: Array<{ name: string; data?: unknown }>;
}

/** Returns what a shop's page gets for a text. */
async function searched(text: string): Promise<{ ids: string[]; rules: Found["rules"] }> {
  const query = { match: { text: { query: text, operator: "and" } } };
  const sent = { index, user_query: text, search_request: { query } };
  const { body, text: shown } = await gateway.post<Found>("/application/search", sent);
  assert.equal(body.degraded, undefined, shown);
  return { ids: body.search_response.hits.hits.map(({ _id }) => _id), rules: body.rules };
}

const button = (name: string | RegExp) => tab.button(name);
const label = (text: string) => tab.label(text);

/** Looks at the change, tries it on searches, and puts it into use, as a person does. */
async function mend({ diff, previewed, said }: { diff: RegExp; previewed: RegExp; said: RegExp }): Promise<void> {
  const look = button("Look at the change");
  if (await look.isVisible()) await look.click();
  assert.match(await tab.added(), diff);
  assert.match(await tab.preview(), previewed);
  await button("Put it into use").click();
  await page.locator(".verdict", { hasText: said }).waitFor();
}

test("the problems are there", async () => {
  assert.is((await searched("red lamp")).ids.at(-1), "lamp-5");
  assert.equal((await searched("couch")).ids, ["sofa-1"]);
  assert.is((await searched("lamp")).rules, undefined);
  assert.ok((await searched("long cable")).ids.includes("lamp-4"));
  assert.equal((await searched("table lamp")).ids.slice(0, 3).sort(), ["lamp-1", "lamp-2", "lamp-3"]);
});

test("a feature that is not configured is shown with the lines that turn it on", async () => {
  const file = join(conf, "rules.yaml");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, "# Ours.\n");
  await page.getByRole("link", { name: "Merchandise" }).click();
  await page.locator(".empty pre", { hasText: "rules: []" }).waitFor();
  assert.not(await button("+ rule").isVisible());
  writeFileSync(file, before);
  await page.reload();
  await button("+ rule").waitFor();
});

test("a product that should be first is pinned", async () => {
  await page.getByRole("link", { name: "Merchandise" }).click();
  await page.getByText("0 rules").waitFor();
  await tab.newRule("red-lamps");
  await label("Searches for exactly these texts, one per line").fill("red lamp");
  await tab.find("steel");
  await button("Pin lamp-5").click();
  await mend({
    diff: /\+ {3}- name: red-lamps\n[\s\S]*- id: lamp-5\n\+ +place: 1\n/,
    previewed: /Of 1 query: 1 changed\. No query is judged.*red lamp/,
    said: /^Version 2 is in use/,
  });
});

test("a contradiction is shown before it is in use, and a hidden product mends it", async () => {
  await tab.newRule("no-lamp-4");
  await tab.find("cable");
  await button("Pin lamp-4").click();
  await button("Hide lamp-4").click();
  await button("Look at the change").click();
  await page.getByRole("alert").filter({ hasText: '"lamp-4" is hidden by rules[1]' }).waitFor();
  assert.is(await button("Put it into use").count(), 0);
  await button(/do not pin lamp-4/).click();
  await button("Look at the change").click();
  await label("Searches to try, one per line").fill("long cable\ncouch");
  await mend({ diff: /hide:/, previewed: /Of 2 queries: 1 changed, 1 unchanged\..*− lamp-4/, said: /^Version 3/ });
});

test("a banner is shown for searches", async () => {
  await tab.newRule("Lamp week");
  await label("Searches that contain these words, one per line").fill("lamp");
  await label("Banner for the page, or a JSON object").fill('{"banner": "A week of lamps"');
  await page.getByRole("alert").filter({ hasText: "The page would not get this" }).waitFor();
  await label("Banner for the page, or a JSON object").fill("A week of lamps");
  await mend({ diff: /banner: A week/, previewed: /1 changed.*something else for the page/, said: /^Version 4/ });
});

test("what cannot be put into use is told, wherever its author has gone", async () => {
  await tab.newRule("late");
  await label("Only for users in these segments, one per line").fill("vip\nb2b");
  await label("Banner for the page, or a JSON object").fill("Late");
  await button("Look at the change").click();
  assert.match(await tab.added(), /when:\n\+ +segments:\n\+ +- vip\n\+ +- b2b\n/);
  await button("Put it into use").waitFor();
  // Somebody else puts a version into use in the meantime.
  const document = versionedDocument(s3DocumentBucket(shop.s3, shop.bucket), RULES);
  const { version = 0, content } = (await document.newest()) ?? {};
  await document.write(version, { by: "somebody else", at: new Date(), content });
  // The refusal waits until its author has gone; otherwise it may come before the page is looked at.
  let answer = (): void => {};
  const gone = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/api/rules/apply", async (route) => {
    await gone;
    await route.continue();
  });
  await button("Put it into use").click();
  await page.getByText("Putting a change into use …").waitFor();
  await page.getByRole("link", { name: "Search", exact: true }).click();
  answer();
  await page.getByText(/^It is not in use: .*somebody else has put version 5 into use/i).waitFor({ state: "attached" });
  const read = page.waitForResponse((answer) => answer.url().endsWith("/api/rules"));
  await page.getByRole("link", { name: "Merchandise" }).click();
  await (await read).finished();
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  await page.getByRole("alert").filter({ hasText: "somebody else has put version 5 into use" }).waitFor();
});

test("a word finds what is called otherwise", async () => {
  await page.getByRole("link", { name: "Synonyms" }).click();
  await page.getByText("1 rule", { exact: true }).waitFor();
  await label("Words that mean the same, with commas").fill("sofa, couch");
  await mend({ diff: /^\+ sofa, couch\n$/, previewed: /Of 2 queries: 2 changed\..*\+ sofa-2/, said: /^Version 2/ });
});

test("near-copies move apart", async () => {
  await page.getByRole("link", { name: "Variety" }).click();
  await page.locator('#keyword-fields option[value="maker"]').waitFor({ state: "attached" });
  await label("Field with that value").fill("maker");
  await button("Look at the change").click();
  await label("Searches to try, one per line").fill("table lamp");
  await mend({
    diff: /variety: {"groups":{"field":"maker","max":1}}/,
    previewed: /another order/,
    said: /^It is written/,
  });
});

test("the gateway's answers have all five", async () => {
  gateway = await shop.deploy();
  const red = await searched("red lamp");
  assert.is(red.ids[0], "lamp-5");
  assert.equal((await searched("couch")).ids.sort(), ["sofa-1", "sofa-2"]);
  assert.equal(red.rules?.find(({ name }) => name === "lamp-week")?.data, { banner: "A week of lamps" });
  assert.equal((await searched("long cable")).ids, []);
  const makers = (await searched("table lamp")).ids.map((id) => PRODUCTS[id]?.maker);
  assert.equal(makers, ["acme", "corona", "acme", "acme"]);
});

test("what was put into use is taken back, in the file as well", async () => {
  await page.getByRole("link", { name: "Rules", exact: true }).click();
  const versions = page.getByRole("region", { name: "Versions" });
  await versions.getByText("somebody else").waitFor();
  assert.match((await versions.textContent()) ?? "", /5.*somebody else.*in use.*4.*UTC\w+Rule lamp-week: new/);
  await versions.getByRole("button", { name: "Bring back version 3" }).click();
  await page.locator(".verdict", { hasText: "Version 6, with the content of version 3, is in use" }).waitFor();
  await page.getByText("2 rules").waitFor();
  const written = readFileSync(join(conf, "rules.yaml"), "utf8");
  assert.match(written, /^# Ours\.\nrules:\n {2}- name: red-lamps\n/);
  assert.not.match(written, "lamp-week");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`every place is accessible and fits a phone, ${colorScheme}`, async () => {
    await page.emulateMedia({ colorScheme });
    for (const tab of ["Variety", "Synonyms", "Rules"]) {
      await page.getByRole("link", { name: tab, exact: true }).click();
      await page.getByRole("heading", { level: 2 }).first().waitFor();
      if (tab === "Rules") {
        await button("red-lamps").press("Enter");
        await label("Name").waitFor();
      }
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        assert.equal(await violations(page), [], `${tab} ${width}`);
        assert.is(await page.evaluate("document.documentElement.scrollWidth"), width, `${tab} ${width}`);
      }
    }
    assert.equal(tab.problems, []);
  });
}

test.run();
