import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import * as assert from "uvu/assert";
import { patient } from "../../packages/processes/wait.ts";
import { HYBRID_MAPPING, type TestGateway } from "../fixtures/gateway.ts";
import { request } from "../fixtures/opensearch.ts";
import { SEARCHES, SOLD, search, shopModel, type Text, visitedShop } from "../fixtures/searched-shop.ts";
import { startShop } from "../fixtures/shop-console.ts";
import { suite } from "../suite.ts";

/** Five searches that go badly, each found among those of people, mended and written in the console by pointer and keys. */
const test = suite("five bad searches mended in the console");

const visitors = visitedShop();
const shop = await startShop({
  ...{ name: "bad-searches", dense: await shopModel(), log: visitors.folder },
  embeddings: [{ field: "text_dense", kind: "dense" }],
});
const { cluster, index, conf } = shop;
/** The longest time that a command of `relevance` may take on a busy machine. */
const timeout = patient(60_000);
let gateway: TestGateway;
let page: Page;
let tab: Awaited<ReturnType<typeof shop.open>>;

test.before(async () => {
  gateway = await shop.deploy();
  const { settings, mappings } = HYBRID_MAPPING;
  const properties = { ...mappings.properties, label: { type: "keyword" } };
  await request(cluster, "PUT", `/${index}`, { settings, mappings: { properties } });
  const bulk_request = Object.entries(SOLD).map(([id, doc]) => ({ id, op: "index", doc }));
  const { body, text } = await gateway.post("/application/bulk", { index, bulk_request });
  assert.is(body.index_response.errors, false, text);
  await request(cluster, "POST", `/${index}/_refresh`);
  // What people judged: everything, as the shop searches for it.
  mkdirSync(join(shop.files, "judgments"), { recursive: true });
  for (const by of ["keywords", "meaning"]) {
    const rows = Object.entries(SEARCHES).flatMap(([query, one]) =>
      one.by === by ? Object.keys(SOLD).map((id) => `${query},${id},${id === one.wanted ? 3 : 0}\n`) : [],
    );
    writeFileSync(join(shop.files, "judgments", `${by}.csv`), `query,doc,grade\n${rows.join("")}`);
  }
  await visitors.visit(gateway, index);
  tab = await shop.open(`#/queries?index=${index}`);
  page = tab.page;
});
test.after(() => shop.stop());

const list = () => page.getByRole("region", { name: "Queries" });
const link = (name: string) => page.getByRole("link", { name, exact: true });
const column = (name: string) => page.getByRole("region", { name, exact: true });
const written = (file: string) => readFileSync(join(conf, file), "utf8");

/** Follows a link of a query in a list. */
async function follow(kind: string, name: string): Promise<void> {
  await link("Queries").click();
  await list()
    .getByRole("link", { name: new RegExp(`^${kind} [1-9]`) })
    .click({ timeout });
  await list().getByRole("link", { name, exact: true }).press("Enter");
}

/** Opens a search from a list side by side. */
async function open(kind: string, text: Text): Promise<void> {
  await follow(kind, `look why for ${text}`);
  await page.getByRole("status").getByText(`3 variants searched for ${text}`).waitFor({ state: "attached" });
}

/** Returns what the page says of a document in a column. */
async function whereIs(document: string, name: string): Promise<string> {
  const field = tab.label("Id or title of a document");
  if (!(await field.isVisible())) await page.getByText("Where is a document?").click();
  await field.fill(document);
  await field.press("Enter");
  const place = column(`${document} in ${name}`);
  await place.locator("dt", { hasText: "answer" }).waitFor();
  return (await place.textContent()) ?? "";
}

/** Tries a change on all judged searches: it makes this one better and none worse. */
async function preview(text: Text, file: string, as: string): Promise<void> {
  await page.getByRole("combobox", { name: /^Searches of a judgments file/ }).selectOption(file);
  await page.getByRole("combobox", { name: /^Kind of search/ }).selectOption(as);
  const said = await tab.preview();
  // While the gateway does not use the change before, that one is better, too.
  assert.match(said, /Of \d queries: [1-4] better, \d (un)?changed\./);
  await page.getByRole("row", { name: new RegExp(`^${text} better `) }).waitFor();
}

/** Looks at a change, tries it on all searches of the shop, and puts it into use. */
async function mend(text: Text, diff: RegExp): Promise<void> {
  await tab.button("Look at the change").click();
  assert.match(await tab.added(), diff);
  await preview(text, "keywords", "keyword");
  await tab.button("Put it into use").click();
  await page.locator(".verdict", { hasText: /^Version \d is in use/ }).waitFor({ timeout });
}

test("the list of zero hits has a word that the shop does not use: a synonym finds what is meant", async () => {
  await open("zero hits", "settee");
  await column("keyword").getByText("No hits.").waitFor();
  assert.match(await whereIs("sofa-1", "keyword"), "Does not match");
  await follow("zero hits", "add a synonym for settee");
  await tab.label("Words that it also finds, with commas").fill("sofa");
  await mend("settee", /^\+ settee => sofa\n$/);
});

test("the list of zero hits has a misspelling: a rule searches for the word that was meant", async () => {
  await open("zero hits", "chandeleir");
  await column("keyword").getByText("No hits.").waitFor();
  await follow("zero hits", "add a rule for chandeleir");
  await tab.label("Name").fill("Misspelt chandelier");
  await tab.label("Search for another text instead").fill("chandelier");
  await mend("chandeleir", /replace_text: chandelier/);
});

test("the list of abandoned searches has a bestseller far down: a rule raises it", async () => {
  await open("abandoned", "desk lamp");
  assert.match(await whereIs("desk-9", "keyword"), /answer 7/);
  await follow("abandoned", "add a rule for desk lamp");
  await tab.label("Name").fill("Desk bestsellers");
  await tab.label("Field").fill("label");
  await tab.label("Value").fill("bestseller");
  await tab.label("Factor").fill("4");
  await tab.button("Add").press("Enter");
  await mend("desk lamp", /label: bestseller/);
});

test("the list of few clicks has a first hit that is sold out: a rule hides it", async () => {
  await open("few clicks", "garden lantern");
  await column("keyword").locator(".hit").first().getByText("garden-1").waitFor();
  await follow("few clicks", "add a rule for garden lantern");
  await tab.label("Name").fill("Sold out");
  await tab.find("garden lantern");
  await tab.button("Hide garden-1").click();
  await mend("garden lantern", /hide:[\s\S]*garden-1/);
});

test("the list of abandoned searches has one whose words mislead: more weight for its meaning", async () => {
  await open("abandoned", "read in bed");
  const where = await whereIs("bedside-1", "hybrid");
  assert.match(where, /keyword –.*dense 1One.*answer 6/);
  const slider = column("hybrid").getByRole("slider", { name: "weight of dense in hybrid" });
  await slider.focus();
  for (let presses = 0; presses < 6; presses += 1) await page.keyboard.press("ArrowRight");
  await column("hybrid").getByText("Computed here").waitFor();
  await column("hybrid").locator(".hit").first().getByText("bedside-1").waitFor();
  await column("hybrid").getByRole("button", { name: "Write to hybrid_search.yaml …" }).click();
  assert.match(await tab.added(), /weights: \[0\.2, 0\.8\]/);
  await preview("read in bed", "meaning", "hybrid");
  await column("hybrid").getByRole("button", { name: "Write this change" }).press("Enter");
  await column("hybrid")
    .getByText(/^Written to .*hybrid_search\.yaml/)
    .waitFor();
});

test("the files have all five, and none of the searches is bad any more", async () => {
  assert.match(written("synonyms/shop.txt"), /^# Of the shop\.\nlamp, light\nsettee => sofa\n$/);
  assert.match(written("rules.yaml"), /^# Ours\.[\s\S]*misspelt-chandelier[\s\S]*desk-bestsellers[\s\S]*sold-out/);
  assert.match(written("hybrid_search.yaml"), /weights: \[0\.2, 0\.8\]/);
  gateway = await shop.deploy();
  for (const [text, { wanted }] of Object.entries(SEARCHES)) {
    const { ids } = await search(gateway, index, text as Text, "tuner");
    assert.is(ids[0], wanted, `${text}: ${ids}`);
  }
  await visitors.visit(gateway, index);
  await page.goto(page.url().replace(/#.*/, `#/queries?index=${index}`));
  await page.reload();
  for (const kind of ["zero hits", "abandoned", "few clicks"])
    await list()
      .getByRole("link", { name: `${kind} 0`, exact: true })
      .waitFor({ timeout });
  assert.equal(tab.problems, []);
});

test.run();
