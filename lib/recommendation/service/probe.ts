import { failureKind } from "../../platform/aws/errors.ts";
import type { RecipeKind } from "../../platform/contract/recommendation.ts";
import { type Probe, probed } from "../../platform/http/probe.ts";
import { type Deadline, deadlineIn } from "../../platform/resilience/deadline.ts";
import type { RecommendationServices } from "./services.ts";

/** Shorter than the function's timeout. */
const PROBE_MS = 20_000;

/** Any ids will do: Personalize answers for unknown users and items, too. */
const userId = "relevance";
const itemId = "relevance";

type ProbedServices = Pick<RecommendationServices, "settings" | "pointers" | "campaigns">;

/** Calls each recipe's active campaign once. */
export function probeRecommendation(services: ProbedServices): Promise<Probe[]> {
  const { settings, pointers } = services;
  const deadline = deadlineIn(PROBE_MS);
  const campaigns = Object.entries(settings.campaigns) as [RecipeKind, string][];
  return Promise.all(
    campaigns.map(([recipe, parameter]) =>
      probed({ kind: "campaign", name: recipe }, async () => {
        const [campaignArn] = await pointers.reread([parameter], deadline);
        if (!campaignArn?.startsWith("arn:")) return "untrained";
        try {
          return await ask(services, recipe, campaignArn, deadline);
        } catch (error) {
          // A campaign that does not take the made-up ids has answered.
          if (failureKind(error) !== "refused") throw error;
        }
      }),
    ),
  );
}

/** Requests one item. The declared result type makes a missing kind of recipe a compile error. */
function ask(
  { campaigns }: ProbedServices,
  recipe: RecipeKind,
  campaignArn: string,
  deadline: Deadline,
): Promise<object> {
  switch (recipe) {
    case "user_personalization":
      return campaigns.recommend({ campaignArn, userId, numResults: 1 }, deadline);
    case "similar_items":
      return campaigns.recommend({ campaignArn, itemId, numResults: 1 }, deadline);
    case "personalized_ranking":
      return campaigns.rank({ campaignArn, userId, itemIds: [itemId] }, deadline);
  }
}
