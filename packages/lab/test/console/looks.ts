import type { Browser, Locator, Page } from "playwright-core";
import * as assert from "uvu/assert";
import type { Trouble } from "../../../../test/fixtures/console-gateway.ts";
import type { suite } from "../../../../test/suite.ts";
import type { OpenOptions } from "../../server/open.ts";
import { fits } from "./axe.ts";
import { openTab, startTestConsole, type TestConsole, tabTo } from "./console.ts";

/** What the page promises, however it looks. */
interface Promised {
  place: string;
  /** What the stand-in gateway does wrong. */
  trouble?: Trouble;
  /** The options of a console for this promise alone, which the check may stop. */
  own?: Partial<OpenOptions>;
  /** The only width that matters. */
  width?: number;
  /** Uses the page with the keyboard alone, and checks what it shows. */
  check: (page: Page, console: TestConsole) => Promise<unknown>;
}

/**
 * Makes a test of each promise, on a phone and on a screen. At its end axe finds nothing wrong, light or dark, nothing
 * scrolls sideways, and the browser reports no error.
 */
export function inEveryLook(
  test: ReturnType<typeof suite>,
  { browser, console: shared }: { browser: Browser; console: TestConsole },
  promises: Readonly<Record<string, Promised>>,
): void {
  for (const [promise, { place, trouble = "none", own, width: only, check }] of Object.entries(promises)) {
    for (const width of only ? [only] : [390, 1280]) {
      test(`${promise}: ${width} pixels`, async () => {
        const console = own ? await startTestConsole(own) : shared;
        console.gateway.fail(trouble);
        const { page, problems, close } = await openTab(browser, console, place, width);
        await check(page, console);
        await fits(page);
        assert.equal(problems, []);
        await close();
      });
    }
  }
}

/** Reaches something with Tab and presses a key there. */
export async function press(wanted: Locator, key = "Enter"): Promise<void> {
  await tabTo(wanted.page(), wanted);
  await wanted.page().keyboard.press(key);
}

/** Reaches a field with Tab, and types a text in place of what it has. */
export async function type(wanted: Locator, text: string): Promise<void> {
  await press(wanted, "ControlOrMeta+a");
  await wanted.page().keyboard.press("Delete");
  await wanted.page().keyboard.type(text);
}

/** Searches for a text. */
export async function searchFor(page: Page, text: string): Promise<void> {
  await type(page.getByRole("searchbox", { name: "Text" }), text);
  await page.keyboard.press("Enter");
}

/** Opens another place of the console. */
export const open = (page: Page, place: string) =>
  press(page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: place, exact: true }));

/** Returns a column of Search. */
export const column = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
