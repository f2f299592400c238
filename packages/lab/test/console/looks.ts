import type { Browser, Locator, Page } from "playwright-core";
import * as assert from "uvu/assert";
import type { Trouble } from "../../../../test/fixtures/console-gateway.ts";
import type { suite } from "../../../../test/suite.ts";
import type { OpenOptions } from "../../server/open.ts";
import { violations } from "./axe.ts";
import { openTab, startTestConsole, type TestConsole, tabTo } from "./console.ts";

const LOOKS = [390, 1280].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ width, scheme })));

/** What the page promises, however it looks. */
interface Promised {
  place: string;
  /** What the stand-in gateway does wrong. */
  trouble?: Trouble;
  /** The options of a console for this promise alone, which the check may stop. */
  own?: Partial<OpenOptions>;
  /** Uses the page with the keyboard alone, and checks what it shows. `look` is a name for files of one look. */
  check: (page: Page, console: TestConsole, look: string) => Promise<unknown>;
}

/**
 * Makes a test of each promise at two widths, light and dark. At its end axe finds nothing wrong, nothing scrolls sideways,
 * and the browser reports no error.
 */
export function inEveryLook(
  test: ReturnType<typeof suite>,
  { browser, console: shared }: { browser: Browser; console: TestConsole },
  promises: Readonly<Record<string, Promised>>,
): void {
  for (const [promise, { place, trouble = "none", own, check }] of Object.entries(promises)) {
    for (const { width, scheme } of LOOKS) {
      test(`${promise}: ${width} pixels, ${scheme}`, async () => {
        const console = own ? await startTestConsole(own) : shared;
        console.gateway.fail(trouble);
        const { page, problems, close } = await openTab(browser, console, place, width, scheme);
        await check(page, console, `${width}-${scheme}`);
        assert.equal(await violations(page), []);
        assert.is(await page.evaluate("document.documentElement.scrollWidth"), width);
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
