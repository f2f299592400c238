import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "@relevance/lib/platform/failure.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import { patient } from "@relevance/processes/wait.ts";
import type { Browser, Locator, Page } from "playwright-core";
import * as assert from "uvu/assert";
import { startBrowser } from "../../../../test/fixtures/browser.ts";
import { startConsoleGateway } from "../../../../test/fixtures/console-gateway.ts";
import { ROOT, TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { inBatch, type suite } from "../../../../test/suite.ts";
import { type OpenOptions, openConsole } from "../../server/open.ts";

export const KEY = "the-secret-key";

const noLog = async () => {
  throw new Failure("There is no request log");
};

/** Starts a console over the stand-in gateway, with its own files. */
export async function startTestConsole(options: Partial<OpenOptions> = {}) {
  const gateway = await startConsoleGateway();
  const files = scratchFolder(TEST_OUTPUT, "console");
  const conf = join(files, "conf");
  mkdirSync(conf, { recursive: true });
  const defaultsFile = join(conf, "hybrid_search.yaml");
  const mapping = "{embedding_field: v, model_name: dense_large_en_v1_5, src_fields: [title]}";
  writeFileSync(defaultsFile, `hybrid_queries:\n  - index: books # ours\n    embedding_mappings: [${mapping}]\n`);
  const service = { url: gateway.url, key: KEY };
  const console = await openConsole({
    ...{ sources: join(ROOT, "packages/lab/console"), files, conf, defaultsFile, log: noLog },
    gateway: { name: "search gateway", ...service },
    recommendation: { name: "recommendation service", ...service },
    setup: {
      indexes: [
        {
          index: "books",
          embeddings: [
            { field: "description_dense", kind: "dense" },
            { field: "description_sparse", kind: "sparse" },
          ],
          candidates: 100,
          synonyms: true,
          settings: { weights: null, normalization: "min_max", combination: "arithmetic_mean" },
        },
      ],
      filters: [{ name: "category", expression: "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)" }],
      ...{
        standIns: [{ model: "dense_large_en_v1_5", by: "words alone, no meaning" }],
        local: true,
        example: { query: "letters", user: null },
      },
    },
    ...options,
  });
  opened.push(async () => {
    await console.stop();
    await gateway.stop();
  });
  return { url: console.url, gateway, files, defaultsFile, stop: console.stop };
}

/** Functions that stop everything that the tests of a file have started, including failed tests. */
const opened: (() => Promise<void>)[] = [];

/** The browser of this process, which its test files share: a start takes two seconds of processor time. */
let started: Promise<Browser> | undefined;

/** Starts a browser and a console for the tests of a file, and stops them after the last one. */
export async function startInBrowser(test: ReturnType<typeof suite>, options: Partial<OpenOptions> = {}) {
  started ??= startBrowser();
  const [browser, console] = await Promise.all([started, startTestConsole(options)]);
  test.after(async () => {
    await Promise.all(opened.splice(0).map((stop) => stop()));
    // The browser of a batch ends with its process.
    if (!inBatch()) await browser.close();
  });
  /** Makes a test that opens a tab, after `before`, and closes it; the browser reports no error. */
  const inTab = (
    title: string,
    place: string,
    check: (page: Page) => Promise<unknown>,
    { width, before }: { width?: number; before?: () => unknown } = {},
  ) =>
    test(title, async () => {
      before?.();
      const { page, problems, close } = await openTab(browser, console, place, width);
      await check(page);
      assert.equal(problems, []);
      await close();
    });
  return { browser, console, inTab };
}

export type TestConsole = Awaited<ReturnType<typeof startTestConsole>>;

/** Opens a tab that collects its problems: errors, and requests to any other host. */
export async function openTab(browser: Browser, console: Pick<TestConsole, "url">, place = "", width = 1280) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: "light" });
  const page: Page = await context.newPage();
  page.setDefaultTimeout(patient(30_000));
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    // The browser also reports error responses here; the page shows those itself.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(console.url) && !request.url().startsWith("data:")) problems.push(request.url());
  });
  await page.goto(`${console.url}/${place}`);
  await page.waitForSelector("main h1");
  return { page, problems, close: () => context.close() };
}

/** Presses Tab until the focus is on an element that the selector or locator matches. Returns how many presses it took. */
export async function tabTo(page: Page, wanted: string | Locator): Promise<number> {
  const focused = (typeof wanted === "string" ? page.locator(wanted) : wanted).and(page.locator(":focus"));
  for (let presses = 0; presses < 150; presses += 1) {
    if ((await focused.count()) > 0) return presses;
    await page.keyboard.press("Tab");
  }
  assert.unreachable(`Tab never reaches ${wanted}`);
  return Number.NaN;
}
