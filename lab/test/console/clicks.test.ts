import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../../local/process/scratch.ts";
import { TEST_OUTPUT } from "../../../test/fixtures/env.ts";
import { suite } from "../../../test/suite.ts";
import { openTab, startInBrowser } from "./console.ts";

const test = suite("the console's judgments from clicks, in a browser");

const calls = join(scratchFolder(TEST_OUTPUT, "clicks-calls"), "calls.txt");
/** In place of `relevance judgments from-clicks`: finds one judgment, and notes its arguments. */
const COMMAND = `
  require("node:fs").appendFileSync(${JSON.stringify(calls)}, process.argv.slice(1).join(" ") + "\\n");
  process.stdout.write('[{"query":"salt","document":"b1","grade":1,"impressions":40,"clicks":4}]');`;
const { browser, console } = await startInBrowser(test, { command: [process.execPath, "-e", COMMAND, "--"] });

test("takes what was read, whatever the form says since then", async () => {
  const { page, problems, close } = await openTab(browser, console, "#/measure?index=books&days=7");
  await page.getByRole("link", { name: "Clicks" }).press("Enter");
  const region = page.getByRole("region", { name: "Click judgments" });
  await region.getByRole("button", { name: "Judge by the clicks in books" }).click();
  const taking = region.getByRole("form", { name: "Take into a file" });
  await taking.waitFor();
  await region.getByLabel("Days").fill("90");
  await region.getByLabel("Impressions of each").fill("1");
  await taking.getByRole("textbox", { name: "New judgments file" }).fill("taken");
  await taking.getByRole("button", { name: "Take all 1 into it" }).press("Enter");
  await region.getByText("They are in the judgments file taken").waitFor();
  const [read = "", taken = ""] = readFileSync(calls, "utf8").split("\n");
  assert.match(read, "from-clicks --days 7 --min-impressions 20 --index books");
  assert.match(taken, "from-clicks --days 7 --min-impressions 20 --index books");
  assert.equal(problems, []);
  await close();
});

test.run();
