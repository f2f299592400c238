import { GetPersonalizedRankingCommand } from "@aws-sdk/client-personalize-runtime";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { errorOf } from "./harness.ts";
import { openRuntime } from "./open-runtime.ts";

const test = suite("local Personalize: runtime refusals");

const { harness, campaigns, filters, recommend } = await openRuntime();
test.after(() => harness.stop());

const ABSENT = "ResourceNotFoundException";
const user = { userId: "u1" };
const many = (count: number) => Array.from({ length: count }, (_, at) => `k${at}`);
const rank = (campaignArn: string, inputList: string[]) =>
  harness.runtime.send(new GetPersonalizedRankingCommand({ campaignArn, userId: "u1", inputList }));

/** Refused requests, with the expected error. */
const REFUSED: readonly [what: string, call: () => Promise<unknown>, message: RegExp, name?: string][] = [
  ["no user", () => recommend({}), /userId is required/],
  ["no item", () => recommend(user, campaigns.related), /itemId is required/],
  ["a ranking campaign", () => recommend(user, campaigns.ranking), /use GetPersonalizedRanking/],
  ["an unknown campaign", () => recommend(user, `${campaigns.user}x`), /Campaign with ARN .* does not exist/, ABSENT],
  ["501 results", () => recommend({ ...user, numResults: 501 }), /at most 500, got 501/],
  ["an unknown filter", () => recommend({ ...user, filterArn: `${filters.category}x` }), /Filter with ARN/, ABSENT],
  ["no value for an INCLUDE", () => recommend({ ...user, filterArn: filters.category }), /missing: \$CATEGORY/],
  [
    "an unquoted value",
    () => recommend({ ...user, filterArn: filters.category, filterValues: { CATEGORY: "War" } }),
    /CATEGORY are texts in double quotes/,
  ],
  ["a CurrentItem filter for a user", () => recommend({ ...user, filterArn: filters.cheaper }), /related items only/],
  ["values without a filter", () => recommend({ ...user, filterValues: { A: '"b"' } }), /needs a filterArn/],
  ["a promotion", () => recommend({ ...user, promotions: [{ name: "p" }] }), /no promotions/],
  [
    "metadata that the campaign does not give",
    () => recommend({ ...user, metadataColumns: { ITEMS: ["PRICE"] } }),
    /enableMetadataWithRecommendations/,
  ],
  [
    "26 filter values",
    () => recommend({ ...user, filterValues: Object.fromEntries(many(26).map((name) => [name, '"v"'])) }),
    /length less than or equal to 25/,
  ],
  ["501 items to rank", () => rank(campaigns.ranking, many(501)), /at most 500, got 501/],
  ["a ranking by another recipe", () => rank(campaigns.user, ["i1"]), /needs a ranking recipe/],
];

for (const [what, call, message, name = "InvalidInputException"] of REFUSED) {
  test(`refuses ${what}`, async () => {
    const error = await errorOf(call());
    assert.equal([error.name, error.status], [name, name === ABSENT ? 404 : 400]);
    assert.match(error.message, message);
  });
}

test.run();
