import * as assert from "uvu/assert";
import type { CampaignClient } from "../../../../lib/personalize/runtime/campaigns.ts";
import { probeRecommendation } from "../../../../lib/recommendation/service/probe.ts";
import type { RecommendationServices } from "../../../../lib/recommendation/service/services.ts";
import { suite } from "../../../suite.ts";

const test = suite("probes of the recommendation service");

const ARN = "arn:aws:personalize:eu-west-1:123456789012:campaign/";

/** Probes three recipes, of which the last is not trained. `failure` is what each call of a campaign throws. */
async function probe(failure?: Error) {
  const asked: unknown[] = [];
  const campaigns: CampaignClient = {
    async recommend(query) {
      asked.push(query);
      if (failure) throw failure;
      return { itemIds: [], recommendationId: null };
    },
    rank: async () => assert.unreachable("it is not trained") as never,
  };
  const active: Readonly<Record<string, string>> = { p1: `${ARN}users`, p2: `${ARN}items`, p3: "none" };
  const services = {
    settings: { campaigns: { user_personalization: "p1", similar_items: "p2", personalized_ranking: "p3" } },
    pointers: { reread: async ([name = ""]) => [active[name]] },
    campaigns,
  } as unknown as RecommendationServices;
  return { asked, probes: await probeRecommendation(services) };
}

const awsError = (name: string) => Object.assign(new Error("told so"), { name });
const states = ({ probes }: Awaited<ReturnType<typeof probe>>) => probes.map(({ state }) => state);

test("calls each active campaign once, as its recipe requires", async () => {
  const outcome = await probe();
  assert.equal(outcome.asked, [
    { campaignArn: `${ARN}users`, userId: "relevance", numResults: 1 },
    { campaignArn: `${ARN}items`, itemId: "relevance", numResults: 1 },
  ]);
  assert.equal(states(outcome), ["works", "works", "untrained"]);
});

test("a campaign that cannot be called has failed, with the AWS error", async () => {
  const outcome = await probe(awsError("AccessDeniedException"));
  assert.equal(states(outcome), ["failed", "failed", "untrained"]);
  assert.equal(outcome.probes[0]?.error, { name: "AccessDeniedException", message: "told so" });
});

test("a campaign that refuses the made-up ids works", async () => {
  assert.equal(states(await probe(awsError("InvalidInputException"))), ["works", "works", "untrained"]);
});

test.run();
