import { waitFor } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { startInBrowser, tabTo } from "./console.ts";
import { column, inEveryLook, open, press, searchFor, type } from "./looks.ts";

const test = suite("what Search promises in every look, in a browser");

const shared = await startInBrowser(test);

const SEARCH = "#/search?q=letters&index=books";

/** The lines that each word of the settings takes. */
const LINES = `[...document.querySelectorAll(".slider span")].map((word) => {
  const range = document.createRange();
  range.selectNodeContents(word);
  return [word.textContent, new Set([...range.getClientRects()].map(({ top }) => top)).size];
})`;

inEveryLook(test, shared, {
  "a keyboard reaches the first weight in under 10 presses, and changes it": {
    place: SEARCH,
    check: async (page) => {
      await column(page, "hybrid").locator(".places").first().waitFor();
      assert.is(await tabTo(page, page.getByRole("button", { name: "Skip to the content" })), 1);
      const presses = 1 + (await tabTo(page, page.getByRole("button", { name: "Skip to the weights" })));
      assert.ok(presses + 1 < 10, `${presses}`);
      await page.keyboard.press("Enter");
      const first = column(page, "hybrid").getByRole("slider").first();
      assert.is(await first.and(page.locator(":focus")).count(), 1);
      await page.keyboard.press("ArrowRight");
      await column(page, "hybrid").getByText("Computed here").waitFor();
    },
  },

  "the words of the settings stand whole, on one line": {
    place: SEARCH,
    check: async (page) => {
      await column(page, "hybrid").locator(".hit").first().waitFor();
      const words = ["keyword", "dense", "sparse", "normalize", "combine"];
      assert.equal(
        await page.evaluate(LINES),
        words.map((word) => [word, 1]),
      );
    },
  },

  "an explanation says that it asks the cluster, and stops asking": {
    ...{ place: SEARCH, width: 390 },
    check: async (page, console) => {
      const hit = column(page, "keyword").locator(".hit", { hasText: "Letters Home" });
      const ask = hit.getByRole("button", { name: "Explain in the cluster's words" });
      await press(page.getByRole("tab", { name: "keyword" }));
      await press(hit.getByRole("button", { name: "Letters Home" }));
      const release = console.gateway.hold();
      await press(ask);
      await hit.getByRole("button", { name: "Asking the cluster …", disabled: true }).waitFor();
      await press(hit.getByRole("button", { name: "Cancel" }));
      await ask.waitFor();
      release();
      assert.is(await page.getByRole("alert").count(), 0);
      await press(ask);
      await hit.getByText("1.5 weight(title)").waitFor();
    },
  },

  "an empty text is asked for, and the hits of the one before are forgotten": {
    ...{ place: SEARCH, width: 390 },
    check: async (page) => {
      await column(page, "hybrid").locator(".hit").first().waitFor();
      await searchFor(page, "");
      await page.getByText("Type a text that people search for.").waitFor();
      // The hits go when the place has been read, a frame later.
      await page.locator(".hit").first().waitFor({ state: "detached" });
    },
  },

  ...Object.fromEntries(
    ["search", "judge"].map((view) => [
      `an unknown index is one message in ${view}, in words, with the command that creates it`,
      {
        ...{ place: `#/${view}?index=books`, width: 390 },
        trouble: "no-index" as const,
        check: async (page) => {
          await searchFor(page, "letters");
          const alert = page.getByRole("alert");
          await alert.getByText("404: There is no index or alias books.").waitFor();
          await alert.getByText("`make dev` fills the demo's index").waitFor();
          assert.is(await alert.count(), 1);
          assert.is(await page.locator(".column").count(), 0);
          assert.not.match((await page.locator("main").textContent()) ?? "", /[{}]/);
        },
      } satisfies Parameters<typeof inEveryLook>[2][string],
    ]),
  ),

  "one error is shown when the gateway stops, and one when the console's server does": {
    ...{ place: SEARCH, width: 390 },
    own: {
      history: async () => [],
      status: async () => ({ training: null, filters: [], campaigns: [], solutions: [] }),
    },
    check: async (page, console) => {
      await column(page, "hybrid").locator(".hit").first().waitFor();
      const alerts = page.getByRole("alert");
      /** One column fails after another; when all have the same error, it takes their place. */
      const toldOnce = async (text: string, where: string) => {
        await alerts.getByText(text).first().waitFor();
        const isOnce = async () =>
          (await alerts.count()) === 1 && (await page.locator(".column [role=alert]").count()) === 0;
        await waitFor(isOnce, { what: `one error in ${where}`, timeoutMs: 10_000 });
      };
      await console.gateway.stop();
      await searchFor(page, "storm");
      await toldOnce("502: Cannot reach the search gateway", "Search");
      await alerts.getByText("Start `make dev` again.").waitFor();
      await open(page, "Judge");
      await toldOnce("502: Cannot reach the search gateway", "Judge");
      await console.stop();
      for (const [place, name] of [
        ["Search", "storm and salt"],
        ["Judge", "storm and bell"],
      ] as const) {
        await open(page, place);
        await searchFor(page, name);
        await toldOnce("The console's server does not answer.", place);
      }
      await open(page, "Recommend");
      await type(page.getByRole("textbox", { name: "User" }), "U1");
      await page.keyboard.press("Tab");
      await toldOnce("The console's server does not answer.", "Recommend");
    },
  },

  "what hits show is chosen for one index and kept: title, fields, and a snippet with the words marked": {
    ...{ place: SEARCH, width: 390 },
    trouble: "bare",
    check: async (page, console) => {
      const hybrid = column(page, "hybrid");
      const shown = async () => {
        await hybrid.locator(".snippet").first().waitFor();
        const hit = hybrid.locator(".hit").first();
        return [
          (await hit.locator(".title").textContent())?.replace(/\d$/, ""),
          await hit.locator(".facts").allTextContents(),
          await hit.locator(".snippet mark").allTextContents(),
        ];
      };
      // Without a field that is called like a title.
      assert.equal(await shown(), ["b", ["Harbour Press"], ["Letters"]]);
      assert.ok(((await hybrid.locator(".snippet").first().textContent()) ?? "").length < 250);
      await press(page.getByText("Shown of each hit"));
      await tabTo(page, page.getByRole("combobox", { name: "Title" }));
      await page.keyboard.type("sku");
      await press(page.getByRole("group", { name: "Below it" }).getByRole("checkbox", { name: "maker" }), "Space");
      await page.waitForURL(/show=sku%2Cbody/);
      const chosen = ["SKU-b", [], ["Letters"]];
      assert.equal(await shown(), chosen);
      for (const [place, wanted] of [
        [SEARCH, chosen],
        [SEARCH.replace("books", "shop-live"), ["b", ["Harbour Press"], ["Letters"]]],
      ] as const) {
        await page.goto(`${console.url}/${place}`);
        await page.reload();
        assert.equal(await shown(), wanted, place);
      }
    },
  },

  "hits have their price, picture and marked words, and the index its count of documents": {
    ...{ place: SEARCH, width: 390 },
    trouble: "priced",
    check: async (page) => {
      const hit = column(page, "hybrid").locator(".hit").first();
      await hit.getByText("price 12.5").waitFor();
      await hit.locator(".title mark", { hasText: "Letters" }).waitFor();
      await page.getByRole("option", { name: "books (5 documents)" }).waitFor({ state: "attached" });
    },
  },

  "that an index may be new is not said beside columns with hits": {
    ...{ place: SEARCH, width: 390 },
    trouble: "no-words",
    check: async (page) => {
      await column(page, "hybrid").locator(".hit").first().waitFor();
      await press(page.getByRole("tab", { name: "keyword" }));
      await column(page, "keyword").getByText("No hits.").waitFor();
      assert.is(await page.getByText("If the index is new").count(), 0);
    },
  },
});

test.run();
