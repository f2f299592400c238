import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import * as assert from "uvu/assert";

/** Returns what axe finds wrong: the rule and the elements. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated through the debugger, to which the page's content security policy does not apply.
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

/** Checks that axe finds nothing wrong in light and dark, and nothing scrolls sideways: at these widths, or the page's own. */
export async function fits(page: Page, ...widths: number[]): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 900 };
  for (const width of widths.length > 0 ? widths : [size.width]) {
    await page.setViewportSize({ ...size, width });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.equal(await violations(page), [], `${width} ${colorScheme}`);
    }
    assert.is(await page.evaluate("document.documentElement.scrollWidth"), width);
  }
}
