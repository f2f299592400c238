import type { Page } from "playwright-core";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { ConsoleError } from "../../server/problem.ts";
import { openTab, startInBrowser } from "./console.ts";

const test = suite("the console's errors, in a browser");

const trouble = { status: "" };
const status = async () => {
  if (trouble.status !== "") throw new ConsoleError(502, "no_status", trouble.status);
  return { training: null, filters: [], campaigns: [], solutions: [] };
};
const history = async (): Promise<never> => {
  throw new ConsoleError(502, "no_history", "The bucket does not answer.");
};
const { browser, console, inTab } = await startInBrowser(test, { status, history });
test.before.each(() => {
  console.gateway.fail("none");
  trouble.status = "";
});

const alert = (page: Page, text: string) => page.getByRole("alert").getByText(text).first().waitFor();

for (const view of ["search", "judge"])
  test(`waits in ${view} with the errors of searches until all have answered`, async () => {
    console.gateway.fail("no-index");
    const { page, close } = await openTab(browser, console, `#/${view}?index=books`);
    const released = Promise.withResolvers<void>();
    await page.route("**/application/hybrid-search", async (route) => {
      await released.promise;
      await route.continue();
    });
    const refused = page.waitForResponse((answer) => answer.url().endsWith("/application/search"));
    await page.getByRole("searchbox", { name: "Text" }).fill("letters");
    await page.keyboard.press("Enter");
    await (await refused).finished();
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    assert.is(await page.getByRole("alert").count(), 0);
    released.resolve();
    await alert(page, "404: There is no index or alias books.");
    assert.is(await page.getByRole("alert").count(), 1);
    await close();
  });

inTab(
  "an index without a mapping or an entry in hybrid_search.yaml is searched by keywords, and the page says why in words",
  "#/search?q=letters&index=films",
  async (page) => {
    await page.getByLabel(/the mapping could not be read: 404: no such index \[films\]/).waitFor();
    assert.not.match((await page.locator(".search-form").textContent()) ?? "", /[{}]/);
    await page.getByText("hybrid_search.yaml has no entry for films").waitFor();
    await page.getByRole("region", { name: "keyword", exact: true }).waitFor();
    assert.is(await page.getByRole("region", { name: "hybrid", exact: true }).count(), 0);
  },
);

test("shows while judging the gateway's error, and the error of a file that cannot be written", async () => {
  console.gateway.fail("forbidden");
  const denied = await openTab(browser, console, "#/judge?q=letters&index=books");
  await alert(denied.page, "403: The key may not search in books.");
  await denied.close();
  console.gateway.fail("none");
  const { page, close } = await openTab(browser, console, "#/judge?q=letters&index=books&judgments=a.b");
  await page.locator(".card h2").waitFor();
  await page.keyboard.press("3");
  await alert(page, '400: "a.b" is not a name');
  await page.getByText("0 of 5 judged.").waitFor();
  await close();
});

const RUN = "2026-01-01T00-00-00-000Z-evaluate";

inTab("says when a run to measure does not exist", `#/measure?index=books&run=${RUN}`, async (page) => {
  await alert(page, `404: There is no run ${RUN}`);
});

inTab(
  "says that nothing is trained and what to run, and still shows the rest",
  "#/recommend?user=U1&index=books",
  async (page) => {
    const list = page.getByRole("region", { name: "For U1" });
    await list.getByText("503: Nothing is trained yet.").waitFor();
    await list.getByText("Run `make demo-train` in another terminal.").waitFor();
    await alert(page, "502: The bucket does not answer.");
    await page.getByText("Nothing is trained yet: run `make demo-train`.").waitFor();
  },
  { before: () => console.gateway.fail("not-trained") },
);

inTab(
  "shows an unreadable status as an error only in its own section",
  "#/recommend?user=U1&index=books",
  async (page) => {
    const section = page.getByRole("region", { name: "Training and filters" });
    await section.getByText("502: AWS does not answer.").waitFor();
    await page.getByRole("region", { name: "For U1" }).locator(".hit").first().waitFor();
    trouble.status = "";
    await section.getByRole("button", { name: "Read again" }).click();
    await section.getByText("No training is in progress.").waitFor();
  },
  {
    before: () => {
      trouble.status = "AWS does not answer.";
    },
  },
);

test.run();
