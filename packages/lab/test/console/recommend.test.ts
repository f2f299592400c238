import { Failure } from "@relevance/lib/platform/failure.ts";
import { waitFor } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { reportOf } from "../../experiments/report.ts";
import type { RecommendationReport } from "../../recommendations/places.ts";
import { fits } from "./axe.ts";
import { startInBrowser, tabTo } from "./console.ts";

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

const estimate = (value: number) => ({ value, low: value - 0.05, high: value + 0.05 });
const measured: RecommendationReport = {
  conversions: ["purchase"],
  conversion_events: 3,
  places: [
    {
      ...{ place: "home", answers: 40, users: 20, anonymous: 0, followable: 40, coverage: 0.5 },
      ...{ novelty: null, popular_novelty: null },
      ...{ click_through: estimate(0.25), conversion: null, fallback: estimate(0.1), degraded: estimate(0.05) },
      ...{ next: estimate(0.4), popular_next: estimate(0.2), lift: estimate(0.2) },
    },
  ],
  experiments: [
    reportOf(
      { name: "engine", variants: ["campaign", "built_in"].map((name) => ({ name, share: 0.5 })) },
      {
        users: Array.from({ length: 400 }, (_, index) => ({
          ...{ variant: index % 2 ? "built_in" : "campaign", searches: 1, clicked: index % 2 },
          ...{ reciprocal: 0, empty: 0, milliseconds: 20 },
        })),
        ...{ mixedUsers: 0, anonymousSearches: 0 },
      },
    ),
  ],
  hashed: [],
};
/** Of a log of seven days alone. */
async function recommendations({ days }: { days: number }): Promise<RecommendationReport> {
  if (days === 7) return measured;
  throw new Failure("The request log has no answer");
}
const { console, inTab } = await startInBrowser(test, {
  ...{ history, users, status: async () => status },
  reports: { recommendations },
});

inTab(
  "measures what lists lead to when asked, and shows experiments and the command's own words when it fails",
  "#/recommend?index=books&user=U1&days=7",
  async (page) => {
    const region = page.getByRole("region", { name: "What lists lead to" });
    await region.getByRole("button", { name: "Measure" }).click();
    const row = region.getByRole("row", { name: /^home 40 25\.0 % \(20\.0 to 30\.0\)/ });
    await row.waitFor();
    await region.getByText("home has more of what users did next than popular items would have").waitFor();
    const experiment = region.getByRole("region", { name: "Experiment engine" });
    await experiment.getByText("built_in is better than campaign in click_through (lists with a click)").waitFor();
    await region.getByRole("combobox", { name: "Days" }).selectOption("30");
    await row.waitFor({ state: "detached" });
    await region.getByRole("button", { name: "Measure" }).click();
    await region.getByText("The request log has no answer").waitFor();
    assert.is(await row.count(), 0);
  },
);

inTab(
  "shows a history beside recommendations, applies a filter once its value is there, and keeps both in the address",
  "#/recommend?user=U1&index=books",
  async (page) => {
    await page.getByRole("region", { name: "History" }).getByText("Letters Home").waitFor();
    const list = page.getByRole("region", { name: "For U1" });
    await list.getByText("The Keeper of the Lamp").first().waitFor();
    assert.is(await list.locator(".hit").count(), 5);
    await page.getByRole("combobox", { name: "Filter" }).fill("category");
    await page.getByRole("combobox", { name: "Filter" }).blur();
    await list.getByText("400: filter_value_dict.CATEGORY is missing.").waitFor();
    await page.getByRole("textbox", { name: "CATEGORY" }).fill("mystery");
    await page.getByRole("textbox", { name: "CATEGORY" }).blur();
    await page.waitForURL(/filter=category&values=CATEGORY%3Dmystery/);
    for (const opens of [async () => undefined, () => page.reload()]) {
      await opens();
      await list.locator(".hit").first().waitFor();
      assert.is(await list.locator(".hit").count(), 1);
      assert.is(await page.getByRole("textbox", { name: "CATEGORY" }).inputValue(), "mystery");
    }
    assert.equal(console.gateway.received.findLast(({ call }) => call.includes("recommend"))?.body.filter_value_dict, {
      CATEGORY: "mystery",
    });
  },
);

inTab(
  "requests recommendations again after logging an event, and shows similar items",
  "#/recommend?user=U1&index=books",
  async (page) => {
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
  },
);

inTab(
  "a visitor who is not logged in sees what a view changes, by keyboard alone",
  "#/recommend?index=books",
  async (page) => {
    const list = page.getByRole("region", { name: /^For visitor-/ });
    await page.getByRole("button", { name: "a new visitor" }).press("Enter");
    await list.locator(".hit").first().waitFor();
    const visitor = new URL(page.url().replace("#/", "")).searchParams.get("user");
    assert.match(visitor ?? "", /^visitor-[0-9a-f]{8}$/);
    assert.ok(await page.getByRole("checkbox", { name: "not logged in" }).isChecked());
    await tabTo(page, "[data-item]");
    await page.keyboard.press("Enter");
    await list.getByText("was 1", { exact: true }).waitFor();
    assert.equal(await list.locator(".tag").allTextContents(), ["was 2", "was 3", "was 4", "was 5", "was 1"]);
    await page.getByRole("status").getByText(`5 recommendations for ${visitor}, 0 of them new`).waitFor();
    const [event] = console.gateway.received.findLast(({ call }) => call === "POST /log-event")?.body.events ?? [];
    assert.equal([event?.USER_ID, event?.SESSION_ID, event?.ITEM_ID], [undefined, visitor, "b1"]);
    // The focus goes with the book.
    await page.locator('[data-item="b1"]:focus').waitFor();
    await fits(page, 390, 1280);
  },
  { width: 390 },
);

inTab("shows which models serve, which was trained last, and why a filter failed", "#/recommend", async (page) => {
  await page.getByRole("row", { name: /user_personalization v1 ACTIVE .*0.2500 serves/ }).waitFor();
  await page.getByRole("contentinfo").getByText("last training: user_personalization, ACTIVE, 2026-01-02").waitFor();
  await page.getByText("no such field").waitFor();
});

test.run();
