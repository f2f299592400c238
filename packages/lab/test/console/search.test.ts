import { isDeepStrictEqual } from "node:util";
import { patient, waitFor } from "@relevance/processes/wait.ts";
import type { Page } from "playwright-core";
import * as assert from "uvu/assert";
import type { Trouble } from "../../../../test/fixtures/console-gateway.ts";
import { suite } from "../../../../test/suite.ts";
import { fits } from "./axe.ts";
import { KEY, openTab, startInBrowser } from "./console.ts";

const test = suite("the console's search, in a browser");

const { browser, console, inTab } = await startInBrowser(test);

const SEARCH = "#/search?q=letters&index=books";

/** Makes a test of a search, once its hybrid column has hits. */
const inSearch = (
  title: string,
  check: (search: Awaited<ReturnType<typeof searched>>) => Promise<unknown>,
  { place = SEARCH, width, trouble = "none" }: { place?: string; width?: number; trouble?: Trouble } = {},
) =>
  inTab(title, place, async (page) => check(await searched(page)), {
    ...(width && { width }),
    before: () => console.gateway.fail(trouble),
  });

async function searched(page: Page) {
  const column = (name: string) => page.getByRole("region", { name, exact: true });
  await column("hybrid").locator(".hit").first().waitFor();
  const titles = (name: string) => column(name).locator(".hit .title").allTextContents();
  return { page, column, titles };
}

inSearch("shows one text as keyword, dense, sparse and hybrid search", async ({ titles }) => {
  assert.equal(await titles("keyword"), ["The Keeper of the Lamp", "Salt and Storm", "Letters Home"]);
  assert.is((await titles("dense"))[0], "A Sunken Bell");
  assert.is((await titles("sparse")).length, 4);
  assert.is((await titles("hybrid")).length, 5);
});

inSearch(
  "adds a plain search with boosts and a filter, by keyboard, and keeps it in the address",
  async ({ page, column }) => {
    await page.getByRole("button", { name: "+ plain" }).press("Enter");
    const plain = column("plain 5");
    await plain.locator(".hit").first().waitFor();
    const set = async (name: string, value: string) => {
      await plain.getByLabel(name).fill(value);
      await plain.getByLabel(name).press("Tab");
    };
    const asks = (query: object) =>
      waitFor(
        async () => console.gateway.received.some(({ body }) => isDeepStrictEqual(body.search_request?.query, query)),
        {
          ...{ what: JSON.stringify(query), timeoutMs: 10_000 },
        },
      );
    const words = (...fields: string[]) => ({ multi_match: { query: "letters", fields } });
    await set("boost of title", "3");
    await asks(words("title^3", "description"));
    await set("boost of description", "0");
    await asks(words("title^3"));
    await set("Only hits that match", "published:[2020 TO *]");
    const filter = [{ query_string: { query: "published:[2020 TO *]" } }];
    await asks({ bool: { must: [words("title^3")], filter } });
    assert.match(decodeURIComponent(page.url()), /"kind":"plain".*"title":3/);
    await fits(page);
    await set("boost of title", "0");
    await plain.getByText("Every field has the boost 0").waitFor();
  },
  { width: 390 },
);

for (const [trouble, title, words] of [
  ["none", "A Sunken Bell", "not by words 1st by meaning 2nd by related words"],
  ["tied", "Letters Home", "1st, tied, by words 1st, tied, by meaning not by related words"],
] as const) {
  inSearch(
    `tells the rank of a hit in each subquery in words: ${words}`,
    async ({ column }) => {
      const places = column("hybrid").locator(".hit", { hasText: title }).locator(".places");
      assert.is(await places.textContent(), words);
    },
    { trouble },
  );
}

inSearch(
  "reorders hits while a weight is dragged, without a request, and as the gateway would",
  async ({ column, titles, page }) => {
    const before = console.gateway.received.length;
    await column("hybrid").getByRole("slider", { name: "weight of dense in hybrid" }).fill("1");
    await column("hybrid").getByText("Computed here").waitFor();
    const computed = await titles("hybrid");
    assert.is(computed[0], "A Sunken Bell");
    assert.is(console.gateway.received.length, before);
    await column("hybrid").getByRole("button", { name: "Ask the gateway" }).click();
    await column("hybrid").getByText("5 found").waitFor();
    assert.equal(await titles("hybrid"), computed);
    assert.equal(console.gateway.received.at(-1)?.body.settings, {
      ...{ weights: [0, 1, 0], normalization: "min_max", combination: "arithmetic_mean" },
    });
    assert.match(decodeURIComponent(page.url()), '"weights":[0,1,0]');
  },
);

inSearch("numbers hits from 1, also when a column takes the place of another", async ({ page, column }) => {
  await page.getByRole("button", { name: "Remove sparse" }).click();
  await page.getByRole("button", { name: "Remove dense" }).click();
  await column("sparse").waitFor({ state: "detached" });
  // The numbers that the browser draws, which the document's own content does not tell.
  const tree = await (await page.context().newCDPSession(page)).send("Accessibility.getFullAXTree");
  const markers = tree.nodes.flatMap(({ role, name }) =>
    role?.value === "ListMarker" ? [`${name?.value}`.trim()] : [],
  );
  assert.equal(markers, ["1.", "2.", "3.", "1.", "2.", "3.", "4.", "5."]);
});

inSearch(
  "previews a column's new weights against the search of today, not against the column itself",
  async ({ column }) => {
    const hybrid = column("hybrid");
    await hybrid.getByRole("slider", { name: "weight of dense in hybrid" }).fill("1");
    await hybrid.getByRole("button", { name: "Write to hybrid_search.yaml" }).click();
    const preview = hybrid.getByRole("region", { name: "Preview" });
    await preview.getByLabel("Searches to try, one per line").fill("letters");
    const before = console.gateway.received.length;
    await preview.getByRole("button", { name: "Preview" }).click();
    await preview.getByText("Of 1 query: 1 changed.").waitFor({ timeout: patient(60_000) });
    const sent = console.gateway.received
      .slice(before)
      .flatMap(({ call, body }) => (call === "POST /application/hybrid-search" ? [body.settings?.weights] : []));
    assert.equal(sent, [undefined, [0, 1, 0]]);
  },
);

inSearch(
  "sends no weights to a technique that does not support them on this version of the cluster",
  async ({ column }) => {
    await column("hybrid").locator(".places").first().waitFor();
    await column("hybrid").getByRole("combobox", { name: "combination of hybrid" }).selectOption("rrf");
    await column("hybrid").getByText("Computed here").waitFor();
    assert.ok(await column("hybrid").getByRole("slider", { name: "weight of dense in hybrid" }).isDisabled());
    await column("hybrid").getByRole("button", { name: "Ask the gateway" }).click();
    await column("hybrid").getByText("5 found").waitFor();
    const wanted = { normalization: "min_max", combination: "rrf" };
    assert.equal(console.gateway.received.at(-1)?.body.settings, wanted);
  },
  { trouble: "old" },
);

inSearch(
  "says when an experiment chose the settings of a user's search",
  async ({ column }) => {
    await column("hybrid").getByRole("slider", { name: "weight of the personal ranking in hybrid" }).fill("0.5");
    await column("hybrid").getByText("The experiment weights gave U1 its variant more-dense.").waitFor();
    assert.is(await column("dense").getByText("The experiment").count(), 0);
  },
  { place: `${SEARCH}&user=U1` },
);

inSearch("explains a hit subquery by subquery", async ({ column }) => {
  const hit = column("hybrid").locator(".hit", { hasText: "A Sunken Bell" });
  await hit.getByRole("button", { name: "A Sunken Bell" }).click();
  const row = hit.getByRole("row", { name: /^dense/ });
  assert.equal(await row.locator("td").allTextContents(), ["1", "0.9", "1", "0.333", "0.333"]);
});

inSearch("restores a search from a link, and goes back in the history", async ({ page }) => {
  await page.getByRole("searchbox", { name: "Text" }).fill("storm");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL(/q=storm/);
  const other = await openTab(browser, console, `#${page.url().split("#")[1]}`);
  assert.is(await other.page.getByRole("searchbox", { name: "Text" }).inputValue(), "storm");
  await other.close();
  await page.goBack();
  await page.waitForURL(/q=letters/);
  const text = page.getByRole("searchbox", { name: "Text" });
  await waitFor(async () => (await text.inputValue()) === "letters", { what: "the text", timeoutMs: 10_000 });
});

inSearch("shows a call as curl without the key, which the page never receives", async ({ column, page }) => {
  await column("keyword").getByText("curl of keyword").click();
  const curl = (await column("keyword").locator("pre").textContent()) ?? "";
  await fits(page);
  assert.match(curl, `curl -s -X POST ${console.gateway.url}/application/search`);
  assert.match(curl, '-H "x-api-key: $RELEVANCE_API_KEY"');
  assert.ok(console.gateway.received.every(({ key }) => key === KEY));
  const held = [
    await page.content(),
    page.url(),
    await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])"),
  ];
  assert.not.match(held.join(), KEY);
});

inSearch(
  "shows the stages of a search and what was degraded",
  async ({ column, page }) => {
    await column("hybrid").getByText("degraded: embedding").waitFor();
    await page.getByText("503: The model sparse_v3 is paused.").waitFor();
    await column("hybrid").locator(".cost summary").click();
    assert.match((await column("hybrid").locator(".cost ul").textContent()) ?? "", "cluster 8 ms");
  },
  { trouble: "paused" },
);

inTab(
  "asks for the fields if the key may not read the mapping",
  SEARCH,
  async (page) => {
    const fields = page.getByLabel(/^Fields for the keyword search/);
    await fields.fill("title, description");
    await fields.blur();
    await page.waitForURL(/fields=title%2Cdescription/);
    const sent = () => JSON.stringify(console.gateway.received.map(({ body }) => body));
    const wanted = '"fields":["title","description"]';
    await waitFor(async () => sent().includes(wanted), { what: "a search in these fields", timeoutMs: 10_000 });
  },
  { before: () => console.gateway.fail("no-mapping") },
);

test.run();
