import { isDeepStrictEqual } from "node:util";
import { patient, waitFor } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { fits } from "./axe.ts";
import { KEY, openTab, startInBrowser } from "./console.ts";

const test = suite("the console's search, in a browser");

const { browser, console, inTab } = await startInBrowser(test);
test.before.each(() => console.gateway.fail("none"));

const SEARCH = "#/search?q=letters&index=books";

async function searched(place = SEARCH, width?: number) {
  const tab = await openTab(browser, console, place, width);
  const column = (name: string) => tab.page.getByRole("region", { name, exact: true });
  await column("hybrid").locator(".hit").first().waitFor();
  const titles = (name: string) => column(name).locator(".hit .title").allTextContents();
  return { ...tab, column, titles };
}

test("shows one text as keyword, dense, sparse and hybrid search", async () => {
  const { titles, problems, close } = await searched();
  assert.equal(await titles("keyword"), ["The Keeper of the Lamp", "Salt and Storm", "Letters Home"]);
  assert.is((await titles("dense"))[0], "A Sunken Bell");
  assert.is((await titles("sparse")).length, 4);
  assert.is((await titles("hybrid")).length, 5);
  assert.equal(problems, []);
  await close();
});

test("adds a plain search with boosts and a filter, by keyboard, and keeps it in the address", async () => {
  const { page, column, problems, close } = await searched(SEARCH, 390);
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

  assert.equal(problems, []);
  await close();
});

for (const [trouble, title, seen, read] of [
  ["none", "A Sunken Bell", "k– d1 s2", "keyword: not among its candidates, dense: rank 1, sparse: rank 2"],
  [
    ...(["tied", "Letters Home", "k=1 d=1 s–"] as const),
    "keyword: rank 1, tied, dense: rank 1, tied, sparse: not among its candidates",
  ],
] as const) {
  test(`tells the rank of a hit in each subquery, also to a screen reader: ${seen}`, async () => {
    console.gateway.fail(trouble);
    const { column, close } = await searched();
    const places = column("hybrid").locator(".hit", { hasText: title }).locator(".places");
    assert.is(await places.locator("[aria-hidden]").textContent(), seen);
    assert.is(await places.locator(".hidden").textContent(), read);
    await close();
  });
}

test("reorders hits while a weight is dragged, without a request, and as the gateway would", async () => {
  const { column, titles, page, close } = await searched();
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
  await close();
});

test("numbers hits from 1, also when a column takes the place of another", async () => {
  const { page, column, close } = await searched();
  await page.getByRole("button", { name: "Remove sparse" }).click();
  await page.getByRole("button", { name: "Remove dense" }).click();
  await column("sparse").waitFor({ state: "detached" });
  // The numbers that the browser draws, which the document's own content does not tell.
  const tree = await (await page.context().newCDPSession(page)).send("Accessibility.getFullAXTree");
  const markers = tree.nodes.flatMap(({ role, name }) =>
    role?.value === "ListMarker" ? [`${name?.value}`.trim()] : [],
  );
  assert.equal(markers, ["1.", "2.", "3.", "1.", "2.", "3.", "4.", "5."]);
  await close();
});

test("previews a column's new weights against the search of today, not against the column itself", async () => {
  const { column, close } = await searched();
  const hybrid = column("hybrid");
  await hybrid.getByRole("slider", { name: "weight of dense in hybrid" }).fill("1");
  await hybrid.getByRole("button", { name: "Write to hybrid_search.yaml" }).click();
  const preview = hybrid.getByRole("region", { name: "Preview" });
  await preview.getByLabel("Searches, one in a line").fill("letters");
  const before = console.gateway.received.length;
  await preview.getByRole("button", { name: "Preview" }).click();
  await preview.getByText("Of 1 query: 1 changed.").waitFor({ timeout: patient(60_000) });
  const sent = console.gateway.received
    .slice(before)
    .flatMap(({ call, body }) => (call === "POST /application/hybrid-search" ? [body.settings?.weights] : []));
  assert.equal(sent, [undefined, [0, 1, 0]]);
  await close();
});

test("sends no weights to a technique that does not support them on this version of the cluster", async () => {
  console.gateway.fail("old");
  const { column, close } = await searched();
  await column("hybrid").locator(".places").first().waitFor();
  await column("hybrid").getByRole("combobox", { name: "combination of hybrid" }).selectOption("rrf");
  await column("hybrid").getByText("Computed here").waitFor();
  assert.ok(await column("hybrid").getByRole("slider", { name: "weight of dense in hybrid" }).isDisabled());
  await column("hybrid").getByRole("button", { name: "Ask the gateway" }).click();
  await column("hybrid").getByText("5 found").waitFor();
  const wanted = { normalization: "min_max", combination: "rrf" };
  assert.equal(console.gateway.received.at(-1)?.body.settings, wanted);
  await close();
});

test("says when an experiment chose the settings of a user's search", async () => {
  const { column, close } = await searched(`${SEARCH}&user=U1`);
  await column("hybrid").getByRole("slider", { name: "weight of the personal ranking in hybrid" }).fill("0.5");
  await column("hybrid").getByText("The experiment weights gave U1 its variant more-dense.").waitFor();
  assert.is(await column("dense").getByText("The experiment").count(), 0);
  await close();
});

test("explains a hit subquery by subquery", async () => {
  const { column, close } = await searched();
  const hit = column("hybrid").locator(".hit", { hasText: "A Sunken Bell" });
  await hit.getByRole("button", { name: "A Sunken Bell" }).click();
  const row = hit.getByRole("row", { name: /^dense/ });
  assert.equal(await row.locator("td").allTextContents(), ["1", "0.9", "1", "0.333", "0.333"]);
  await close();
});

test("restores a search from a link, and goes back in the history", async () => {
  const first = await searched();
  await first.page.getByRole("searchbox", { name: "Text" }).fill("storm");
  await first.page.getByRole("button", { name: "Search", exact: true }).click();
  await first.page.waitForURL(/q=storm/);
  const other = await searched(`#${first.page.url().split("#")[1]}`);
  assert.is(await other.page.getByRole("searchbox", { name: "Text" }).inputValue(), "storm");
  await first.page.goBack();
  await first.page.waitForURL(/q=letters/);
  const text = first.page.getByRole("searchbox", { name: "Text" });
  await waitFor(async () => (await text.inputValue()) === "letters", { what: "the text", timeoutMs: 10_000 });
  await Promise.all([first.close(), other.close()]);
});

test("shows a call as curl without the key, which the page never receives", async () => {
  const { column, page, close } = await searched();
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
  await close();
});

test("shows the stages of a search and what was degraded", async () => {
  console.gateway.fail("paused");
  const { column, page, close } = await searched();
  await column("hybrid").getByText("degraded: embedding").waitFor();
  await page.getByText("503: The model sparse_v3 is paused.").waitFor();
  await column("hybrid").locator(".cost summary").click();
  assert.match((await column("hybrid").locator(".cost ul").textContent()) ?? "", "cluster 8 ms");
  await close();
});

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
