import {
  GetPersonalizedRankingCommand,
  GetRecommendationsCommand,
  type GetRecommendationsCommandInput,
} from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { suite } from "../../suite.ts";
import { openCampaign, openFilter, openShop, type Shop, stockShop } from "./book-shop.ts";
import { errorOf, type Harness, startPersonalize } from "./harness.ts";

const test = suite("local Personalize: runtime refusals");

let harness: Harness;
let shop: Shop;
const campaigns = { user: "", ranking: "", related: "" };
const filters = { category: "", unseen: "", cheaper: "", cheapOrOwn: "" };

test.before(async () => {
  harness = await startPersonalize();
  shop = await openShop(harness);
  await stockShop(harness, shop);
  campaigns.user = await openCampaign(harness, shop, "aws-user-personalization");
  campaigns.ranking = await openCampaign(harness, shop, "aws-personalized-ranking");
  campaigns.related = await openCampaign(harness, shop, "aws-sims");
  filters.category = await openFilter(
    harness,
    shop,
    "category",
    "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)",
  );
  filters.unseen = await openFilter(
    harness,
    shop,
    "unseen",
    "EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ($EVENT)",
  );
  filters.cheaper = await openFilter(harness, shop, "cheaper", "INCLUDE ItemID WHERE Items.PRICE < CurrentItem.PRICE");
  filters.cheapOrOwn = await openFilter(
    harness,
    shop,
    "young",
    "EXCLUDE ItemID WHERE Items.PRICE > $MAX IF CurrentUser.AGE < 200",
  );
});
test.after(() => harness.stop());

const recommend = (input: Omit<GetRecommendationsCommandInput, "campaignArn">, campaignArn = campaigns.user) =>
  harness.runtime.send(new GetRecommendationsCommand({ campaignArn, ...input }));
/** Requests that are refused, with the words of the refusal. */
const REFUSED: readonly [string, () => Promise<unknown>, string, RegExp][] = [
  ["no user", () => recommend({}), "InvalidInputException", /userId is required/],
  ["no item", () => recommend({ userId: "u1" }, campaigns.related), "InvalidInputException", /itemId is required/],
  [
    "a ranking campaign",
    () => recommend({ userId: "u1" }, campaigns.ranking),
    "InvalidInputException",
    /use GetPersonalizedRanking/,
  ],
  [
    "an unknown campaign",
    () => recommend({ userId: "u1" }, `${campaigns.user}x`),
    "ResourceNotFoundException",
    /Campaign with ARN .* does not exist/,
  ],
  ["501 results", () => recommend({ userId: "u1", numResults: 501 }), "InvalidInputException", /at most 500, got 501/],
  [
    "an unknown filter",
    () => recommend({ userId: "u1", filterArn: `${filters.category}x` }),
    "ResourceNotFoundException",
    /Filter with ARN/,
  ],
  [
    "no value for an INCLUDE",
    () => recommend({ userId: "u1", filterArn: filters.category }),
    "InvalidInputException",
    /missing: \$CATEGORY/,
  ],
  [
    "an unquoted value",
    () => recommend({ userId: "u1", filterArn: filters.category, filterValues: { CATEGORY: "War" } }),
    "InvalidInputException",
    /CATEGORY are texts in double quotes/,
  ],
  [
    "a CurrentItem filter for a user",
    () => recommend({ userId: "u1", filterArn: filters.cheaper }),
    "InvalidInputException",
    /related items only/,
  ],
  [
    "values without a filter",
    () => recommend({ userId: "u1", filterValues: { A: '"b"' } }),
    "InvalidInputException",
    /needs a filterArn/,
  ],
  [
    "a promotion",
    () => recommend({ userId: "u1", promotions: [{ name: "p" }] }),
    "InvalidInputException",
    /no promotions/,
  ],
  [
    "metadata that the campaign does not give",
    () => recommend({ userId: "u1", metadataColumns: { ITEMS: ["PRICE"] } }),
    "InvalidInputException",
    /enableMetadataWithRecommendations/,
  ],
  [
    "26 filter values",
    () =>
      recommend({
        userId: "u1",
        filterValues: Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`k${i}`, '"v"'])),
      }),
    "InvalidInputException",
    /length less than or equal to 25/,
  ],
  [
    "501 items to rank",
    () =>
      harness.runtime.send(
        new GetPersonalizedRankingCommand({
          campaignArn: campaigns.ranking,
          userId: "u1",
          inputList: Array.from({ length: 501 }, String),
        }),
      ),
    "InvalidInputException",
    /at most 500, got 501/,
  ],
  [
    "a ranking by another recipe",
    () =>
      harness.runtime.send(
        new GetPersonalizedRankingCommand({ campaignArn: campaigns.user, userId: "u1", inputList: ["i1"] }),
      ),
    "InvalidInputException",
    /needs a ranking recipe/,
  ],
];

for (const [what, call, name, message] of REFUSED) {
  test(`refuses ${what}`, async () => {
    const error = await errorOf(call());
    assert.is(error.name, name);
    assert.match(error.message, message);
    assert.is(error.status, name === "ResourceNotFoundException" ? 404 : 400);
  });
}

test.run();
