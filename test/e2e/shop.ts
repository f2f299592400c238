import type { Browser, Locator, Page } from "playwright-core";
import * as assert from "uvu/assert";
import { violations } from "../../packages/lab/test/console/axe.ts";
import { tabTo } from "../../packages/lab/test/console/console.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { patient } from "../../packages/processes/wait.ts";

/** The widths of a phone and of a laptop. */
export const WIDTHS = [360, 1280] as const;

interface Seen {
  url: string;
  width?: number;
  colorScheme?: "light" | "dark";
}

/** The shop page in a tab of its own, as a new visitor sees it. */
export class Shop {
  /** Errors, and requests to hosts that are none of the page's. */
  readonly problems: string[] = [];
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(browser: Browser, state: DevState, { url, width = 1280, colorScheme = "light" }: Seen) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme,
      reducedMotion: "reduce",
    });
    const shop = new Shop(await context.newPage());
    const { page, problems } = shop;
    page.setDefaultTimeout(patient(10_000));
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (sent) => {
      const own = [new URL(url).origin, state.search.url, state.recommendation?.url ?? url, "data:"];
      if (!own.some((start) => sent.url().startsWith(start))) problems.push(sent.url());
    });
    await page.goto(url);
    return shop;
  }

  readonly part = (selector: string): Locator => this.page.locator(selector);
  readonly titles = (list: string) => this.part(`${list} .card strong`).allTextContents();

  /** Waits for the books of a list. */
  async books(list = "#hits"): Promise<string[]> {
    await this.part(`${list} .card`).first().waitFor();
    return this.titles(list);
  }

  /**
   * Does something that leads to a search, whose request has the given text. Waits until the page shows how many books it
   * found, and returns the number.
   */
  async searching(text: string, act: () => Promise<unknown>): Promise<number> {
    const [answer] = await Promise.all([
      this.page.waitForResponse(
        (received) => received.url().endsWith("/multi-search") && !!received.request().postData()?.includes(text),
      ),
      act(),
    ]);
    const { results } = await answer.json();
    const total: number = results[0].answer.search_response.hits.total.value;
    await this.part("#stats")
      .getByText(`${total.toLocaleString("en")} book`)
      .waitFor();
    return total;
  }

  readonly tabTo = (selector: string) => tabTo(this.page, selector);

  /** Asserts that the page has no problem: of accessibility, of width, of errors, of foreign hosts. */
  async isSound(what: string): Promise<void> {
    assert.equal(await violations(this.page), [], what);
    assert.equal(this.problems, [], what);
    const width = await this.page.evaluate("document.documentElement.scrollWidth");
    assert.is(width, this.page.viewportSize()?.width, what);
  }

  close = () => this.page.context().close();
}
