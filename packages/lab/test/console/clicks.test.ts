import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { storedEvent, storedSearch } from "../../../../test/fixtures/stored-lines.ts";
import { suite } from "../../../../test/suite.ts";
import { openTab, startInBrowser } from "./console.ts";

const test = suite("the console's judgments from clicks, in a browser");

const log = scratchFolder(TEST_OUTPUT, "clicks-log");
const DAY_MS = 86_400_000;
const searched = (userQuery: string, daysAgo: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    storedSearch({
      ...{ queryId: `${userQuery}-${index}`, clientId: `c${index}`, userQuery },
      timestamp: new Date(Date.now() - daysAgo * DAY_MS),
    }),
  ).join("");
for (const name of ["search", "events"]) mkdirSync(join(log, name), { recursive: true });
writeFileSync(join(log, "search", "lines"), searched("salt", 1, 40) + searched("storm", 30, 2));
writeFileSync(join(log, "events", "lines"), storedEvent("salt-0", "b1") + storedEvent("storm-0", "b1"));

const { browser, console } = await startInBrowser(test, { log });

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
  const taken = readFileSync(join(console.files, "judgments", "taken.csv"), "utf8")
    .trim()
    .split("\n");
  assert.equal(
    taken.slice(1).map((row) => row.slice(0, "salt,b1,".length)),
    ["salt,b1,"],
  );
  assert.equal(problems, []);
  await close();
});

test.run();
