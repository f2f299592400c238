// The built site in a real browser: two widths, light and dark, with axe.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import * as assert from "uvu/assert";
import { FIELD_WEIGHTS, fuzziness, pageWeight, searchTerm } from "../../build/site/search.ts";
import { violations } from "../../packages/lab/test/console/axe.ts";
import { startBrowser } from "../fixtures/browser.ts";
import { ROOT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("the site");

const SITE = join(ROOT, "dist/docs");
/** A page of each kind. The pages of the gateway and of the configuration are as the service's, but take axe a minute. */
const KINDS = [
  "/",
  "/guides/agents.html",
  "/guides/shop.html",
  "/guides/recommendations.html",
  "/reference/recommendation-service.html",
  "/decisions/",
  "/404.html",
];
/** What people search for, by the guide or reference page that must be found first. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  rules: ["pin a product", "hide a product", "banner", "seasonal rule start date"],
  suggest: ["did you mean", "typo", "autocomplete"],
  costs: ["cost per month", "how expensive is it"],
  experiments: ["A/B test"],
  recommendations: ["similar products", "cold start"],
  search: [
    ...["facets", "pagination", "vector search", "partial answer"],
    ...["sort by price", "price filter", "timeout", "personalize my results"],
  ],
  synonyms: ["synonyms"],
  access: ["API key", "403 forbidden", "CORS", "429 too many requests", "rotate key"],
  tokens: ["multi-tenant"],
  teardown: ["remove everything", "restore deleted items"],
  data: ["delete a user GDPR"],
  monitoring: ["alarm"],
  indexes: ["reindex"],
  models: ["Bedrock model", "German language"],
  pipeline: ["GitHub Actions"],
  relevance: ["judge results"],
  start: ["getting started"],
  "local-stack": ["run on a laptop", "which Node version", "Docker"],
  "request-log": ["zero results", "click tracking"],
  deploy: ["rollback", "permissions to deploy"],
  passages: ["long documents"],
  agents: ["MCP"],
  training: ["retrain every day"],
  bulk: ["upload documents"],
  filters: ["exclude purchased items"],
  "reference/sizing": ["requests per second"],
  platform: ["encryption"],
  "raw-backend": ["OpenSearch client"],
  leaving: ["leave"],
  shop: ["InstantSearch"],
  console: ["compare two searches"],
};
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

execFileSync(process.execPath, [join(ROOT, "build/site/main.ts")], {
  cwd: ROOT,
  stdio: ["ignore", "ignore", "inherit"],
});
const server = createServer(({ url = "/" }, answer) => {
  const path = new URL(url, "http://site").pathname;
  const file = join(SITE, path.endsWith("/") ? `${path}index.html` : path);
  if (!existsSync(file)) return answer.writeHead(404).end();
  return answer
    .writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" })
    .end(readFileSync(file));
});
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
const { port } = server.address() as AddressInfo;
const origin = `http://127.0.0.1:${port}`;
const browser = await startBrowser();

test.after(async () => {
  await browser.close();
  server.close();
});

test("every link of every page leads to a page and a heading", () => {
  const idsOf = new Map<string, Set<string>>();
  for (const file of globSync("**/*.html", { cwd: SITE })) {
    const html = readFileSync(join(SITE, file), "utf8");
    idsOf.set(`/${file}`, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id)));
  }
  const dead: string[] = [];
  for (const from of idsOf.keys()) {
    for (const [, href = ""] of readFileSync(join(SITE, from), "utf8").matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^(https?|mailto):/.test(href)) continue;
      const [path = "", part] = href.replaceAll("&amp;", "&").split("#");
      const to = path === "" ? from : join("/", path.startsWith("/") ? path : join(dirname(from), path));
      const page = to.endsWith("/") ? `${to}index.html` : to;
      const isThere =
        part === undefined || part === ""
          ? existsSync(join(SITE, page))
          : idsOf.get(page)?.has(decodeURIComponent(part));
      if (!isThere && from !== "/404.html") dead.push(`${from}: ${href}`);
    }
  }
  assert.equal([...new Set(dead)], []);
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [390, 1280]) {
    test(`shows accessible pages without scrolling sideways, from one host: ${colorScheme}, ${width} pixels wide`, async () => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const foreign: string[] = [];
      const failed: string[] = [];
      page.on("request", (request) => request.url().startsWith(origin) || foreign.push(request.url()));
      page.on("response", (response) => response.status() < 400 || failed.push(response.url()));
      page.on("pageerror", (error) => failed.push(error.message));
      for (const path of KINDS) {
        await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
        const wide = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
        assert.ok(wide <= 0, `${path} is ${wide} pixels too wide`);
        const dark = await page.evaluate<boolean>("document.documentElement.classList.contains('dark')");
        assert.is(dark, colorScheme === "dark");
        assert.equal(await violations(page), [], path);
        if (process.env.SCREENSHOTS) {
          const name = `${path.replaceAll(/\W+/g, "-")}${colorScheme}-${width}.png`;
          await page.screenshot({ path: join(process.env.SCREENSHOTS, name) });
        }
      }
      assert.equal([foreign, failed], [[], []]);
      await context.close();
    });
  }
}

test("switches all tabs of a guide together, by the keyboard, and keeps the place", async () => {
  const page = await browser.newPage();
  await page.goto(`${origin}/guides/search.html`, { waitUntil: "networkidle" });
  const groups = page.locator(".vp-code-group");
  const shown = async () => {
    const titles = await groups.locator("input:checked + label").allTextContents();
    const codes = await groups.locator(".blocks > .active .lang").allTextContents();
    return { titles: [...new Set(titles)], codes: [...new Set(codes)], count: codes.length };
  };
  const count = await groups.count();
  assert.ok(count >= 5);
  const inputs = groups.nth(2).locator("input");
  await inputs.first().focus();
  const { y: before = 0 } = (await groups.nth(2).boundingBox()) ?? {};
  assert.ok(before > 0 && before < 700, `the focus is ${before} pixels below the top`);
  await page.keyboard.press("ArrowRight");
  assert.equal(await shown(), { titles: ["TypeScript"], codes: ["ts"], count });
  await page.keyboard.press("ArrowRight");
  assert.equal(await shown(), { titles: ["Python"], codes: ["python"], count });
  const { y: after = 0 } = (await groups.nth(2).boundingBox()) ?? {};
  assert.ok(Math.abs(after - before) < 2, `moved by ${after - before} pixels`);
  // The button itself cannot be seen.
  const outline = await page.evaluate<string>(
    'getComputedStyle(document.querySelector(".vp-code-group input:focus-visible + label")).outlineStyle',
  );
  assert.is(outline, "solid");
  assert.equal(await violations(page), []);
  await page.close();
});

test("finds for each question of users its page first", async () => {
  const { default: MiniSearch } = await import(join(ROOT, "docs/site/node_modules/minisearch/dist/es/index.js"));
  const [file = ""] = globSync("assets/chunks/@localSearchIndex*.js", { cwd: SITE });
  const { default: json } = await import(join(SITE, file));
  const index = MiniSearch.loadJSON(json, {
    ...{ fields: Object.keys(FIELD_WEIGHTS), storeFields: ["title", "titles"], processTerm: searchTerm },
    searchOptions: { fuzzy: fuzziness, prefix: true, boost: FIELD_WEIGHTS, boostDocument: pageWeight },
  });
  const wrong = Object.entries(QUESTIONS).flatMap(([name, questions]) =>
    questions
      .map((question) => `${question}: ${index.search(question)[0]?.id}`)
      .filter((found) => !found.includes(`: /${name.includes("/") ? name : `guides/${name}`}.html`)),
  );
  assert.equal(wrong, []);
});

test("finds a guide by a word, and shows a request in another language", async () => {
  const page = await browser.newPage();
  await page.goto(`${origin}/reference/search-gateway.html`, { waitUntil: "networkidle" });
  await page.getByText("TypeScript", { exact: true }).and(page.locator(".vp-code-group label")).first().click();
  await page.locator(".vp-code-group .active code", { hasText: "await relevance.bulk(" }).first().waitFor();
  await page.locator(".VPSidebar a[href='/decisions/']").click();
  await page.getByRole("heading", { name: "Decisions" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.locator("#localsearch-input").fill("typo");
  await page.locator("#localsearch-list li:first-child a[href*='guides/suggest.html']").waitFor();
  await page.close();
});

test.run();
