import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** Returns what axe finds wrong: the rule and the elements. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated through the debugger, to which the page's content security policy does not apply.
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
