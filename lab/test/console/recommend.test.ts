import * as assert from "uvu/assert";
import { waitFor } from "../../../local/process/wait.ts";
import { suite } from "../../../test/suite.ts";
import { openTab, startInBrowser } from "./console.ts";

const test = suite("the console's recommendations, in a browser");

const status = {
  ...{ training: null, campaigns: [{ name: "c", status: "ACTIVE", solution_version_arn: "arn:v1" }] },
  filters: [
    { name: "demo-category", status: "CREATE FAILED", expression: "INCLUDE …", failure_reason: "no such field" },
  ],
  solutions: [
    {
      ...{ name: "s", recipe: "user_personalization" },
      versions: [
        {
          arn: "arn:v1",
          name: "v1",
          status: "ACTIVE",
          last_updated: "2026-01-02T03:04:05Z",
          metrics: { normalized_discounted_cumulative_gain_at_25: 0.25 },
        },
      ],
    },
  ],
};

const past = [{ item: "b4", type: "view", when: "2026-01-02T03:04:05.000Z" }];
const history = async (user: string) => (user === "U1" ? past : []);
const users = async () => ["U1", "U2"];
const { browser, console } = await startInBrowser(test, { history, users, status: async () => status });

test("offers users and items to pick, so that a newcomer needs no id", async () => {
  const { page, problems, close } = await openTab(browser, console, "#/recommend?index=books", 390);
  await page.getByRole("region", { name: "Users to pick" }).getByRole("button", { name: "U2" }).press("Enter");
  await page.getByRole("region", { name: "For U2" }).locator(".hit").first().waitFor();
  assert.is(await page.getByRole("region", { name: "Users to pick" }).count(), 0);
  await page.getByRole("region", { name: "Items to pick" }).getByRole("button", { name: "Salt and Storm" }).click();
  await page.getByRole("region", { name: "Like b2" }).locator(".hit").first().waitFor();
  assert.is(await page.evaluate("document.documentElement.scrollWidth"), 390);
  assert.equal(problems, []);
  await close();
});

test("shows a user's history beside the recommendations", async () => {
  const { page, problems, close } = await openTab(browser, console, "#/recommend?user=U1&index=books");
  await page.getByRole("region", { name: "History" }).getByText("Letters Home").waitFor();
  const list = page.getByRole("region", { name: "For U1" });
  await list.getByText("The Keeper of the Lamp").first().waitFor();
  assert.is(await list.locator(".hit").count(), 5);
  assert.equal(problems, []);
  await close();
});

test("applies a filter with its values at once, and shows the service's error when a value is missing", async () => {
  const { page, close } = await openTab(browser, console, "#/recommend?user=U1&index=books");
  const list = page.getByRole("region", { name: "For U1" });
  await list.locator(".hit").first().waitFor();
  await page.getByRole("combobox", { name: "Filter" }).fill("category");
  await page.getByRole("combobox", { name: "Filter" }).blur();
  await list.getByText("400: filter_value_dict.CATEGORY is missing.").waitFor();
  await page.getByRole("textbox", { name: "CATEGORY" }).fill("mystery");
  await page.getByRole("textbox", { name: "CATEGORY" }).blur();
  await page.waitForURL(/filter=category&values=CATEGORY%3Dmystery/);
  await list.locator(".hit").nth(0).waitFor();
  assert.is(await list.locator(".hit").count(), 1);
  assert.equal(console.gateway.received.findLast(({ call }) => call.includes("recommend"))?.body.filter_value_dict, {
    CATEGORY: "mystery",
  });
  await close();
});

test("requests recommendations again after logging an event, and shows similar items", async () => {
  const { page, close } = await openTab(browser, console, "#/recommend?user=U1&index=books");
  const hit = page.getByRole("region", { name: "For U1" }).locator(".hit", { hasText: "Salt and Storm" });
  await hit.getByRole("button", { name: "log a view" }).click();
  const last = (call: string) => console.gateway.received.findLastIndex((one) => one.call === call);
  const asked = async () =>
    last("POST /recommend-items-to-user") > last("POST /log-event") && last("POST /log-event") >= 0;
  await waitFor(asked, { what: "new recommendations", timeoutMs: 10_000 });
  await page.getByRole("status").getByText("5 recommendations for U1").waitFor();
  const logged = last("POST /log-event");
  const [event] = (console.gateway.received[logged]?.body.events ?? []) as Record<string, unknown>[];
  assert.equal(
    [event?.USER_ID, event?.ITEM_ID, event?.EVENT_TYPE, event?.RECOMMENDATION_ID],
    ["U1", "b2", "view", "RID-1"],
  );
  await hit.getByRole("button", { name: "similar" }).click();
  await page.getByRole("region", { name: "Like b2" }).locator(".hit").first().waitFor();
  await close();
});

test("restores a filter and its values from a link", async () => {
  const place = "#/recommend?user=U1&index=books&filter=category&values=CATEGORY%3Dmystery";
  const { page, close } = await openTab(browser, console, place);
  const list = page.getByRole("region", { name: "For U1" });
  await list.locator(".hit").first().waitFor();
  assert.is(await list.locator(".hit").count(), 1);
  assert.is(await page.getByRole("textbox", { name: "CATEGORY" }).inputValue(), "mystery");
  await close();
});

test("shows which models serve, which was trained last, and why a filter failed", async () => {
  const { page, close } = await openTab(browser, console, "#/recommend");
  await page.getByRole("row", { name: /user_personalization v1 ACTIVE .*0.2500 serves/ }).waitFor();
  await page.getByRole("contentinfo").getByText("last training: user_personalization, ACTIVE, 2026-01-02").waitFor();
  await page.getByText("no such field").waitFor();
  await close();
});

test.run();
