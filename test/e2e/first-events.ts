import type { Browser, Page } from "playwright-core";
import * as assert from "uvu/assert";
import { violations } from "../../packages/lab/test/console/axe.ts";
import { openTab, tabTo } from "../../packages/lab/test/console/console.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { startBrowser } from "../fixtures/browser.ts";
import type { suite } from "../suite.ts";

const EVENTS = 5;

/** A book of the list, and what the page says about its move. */
interface Shown {
  id: string;
  moved: string;
}

/** Tests in the console, after `make demo-train`, what the first events of a new visitor change. */
export function firstEvents(test: ReturnType<typeof suite>, we: { readonly state: DevState }): void {
  let browser: Promise<Browser> | undefined;
  test.after(async () => (await browser)?.close());

  for (const width of [390, 1280]) {
    test(`the first five events of a visitor change the console's list, each at once, ${width} pixels wide`, async () => {
      browser ??= startBrowser();
      const { page, problems, close } = await openTab(
        await browser,
        we.state.console,
        "#/recommend?index=books",
        width,
      );
      await tabTo(page, "[aria-label='Users to pick'] button:last-child");
      const first = await listAfterEnter(page, []);
      assert.is(first.length, 10);
      assert.ok(first.every(({ moved }) => moved === ""));
      const opened: string[] = [];
      let list = first;
      for (let event = 0; event < EVENTS; event += 1) {
        const next = list.find(({ id }) => !opened.includes(id))?.id ?? "";
        opened.push(next);
        await tabTo(page, `[data-item="${next}"]`);
        list = await listAfterEnter(page, list);
      }
      const stayed = list.filter(({ id }) => first.some((one) => one.id === id));
      assert.ok(stayed.length < first.length / 2, `${stayed.length} of the first books are still there`);
      assert.equal(await violations(page), []);
      assert.is(await page.evaluate("document.documentElement.scrollWidth"), width);
      assert.equal(problems, []);
      await close();
    });
  }
}

/**
 * Presses Enter, which asks for a list. Waits until the page shows the service's answer, with the places that its books had
 * in the list before, and returns it.
 */
async function listAfterEnter(page: Page, before: readonly Shown[]): Promise<Shown[]> {
  const [answer] = await Promise.all([
    page.waitForResponse((received) => new URL(received.url()).pathname.endsWith("/recommend-items-to-user")),
    page.keyboard.press("Enter"),
  ]);
  const { response } = (await answer.json()) as { response: { items: { ITEM_ID: string }[] } };
  const expected = response.items.map(({ ITEM_ID: id }, place): Shown => {
    const was = before.findIndex((one) => one.id === id);
    if (before.length === 0 || was === place) return { id, moved: "" };
    return { id, moved: was < 0 ? "new" : `was ${was + 1}` };
  });
  // The page also reads what the visitor did before it shows the list.
  const isShown = async () => JSON.stringify(await shownIn(page)) === JSON.stringify(expected);
  await waitFor(isShown, { what: `the list ${JSON.stringify(expected)}`, timeoutMs: 30_000 });
  return expected;
}

const shownIn = (page: Page): Promise<Shown[]> =>
  page.evaluate(`Array.from(document.querySelectorAll(".hit:has([data-item])"), (hit) => ({
    id: hit.querySelector("[data-item]").dataset.item,
    moved: hit.querySelector(".tag")?.textContent ?? "",
  }))`);
