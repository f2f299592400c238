import { GetPersonalizedRankingCommand } from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { errorOf } from "./harness.ts";
import { openRuntime } from "./open-runtime.ts";

const test = suite("local Personalize: runtime refusals");

const { harness, campaigns, filters, recommend } = await openRuntime();
test.after(() => harness.stop());

/** Refused requests, with the expected error. */
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
