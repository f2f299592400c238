import { GetRecommendationsCommand, type GetRecommendationsCommandInput } from "@aws-sdk/client-personalize-runtime";
import { openCampaign, openFilter, openShop, stockShop } from "./book-shop.ts";
import { startPersonalize } from "./harness.ts";

/** Opens a stocked shop with a campaign of each kind and filters of each kind. */
export async function openRuntime() {
  const harness = await startPersonalize();
  const shop = await openShop(harness);
  await stockShop(harness, shop);
  const campaigns = {
    user: await openCampaign(harness, shop, "aws-user-personalization"),
    ranking: await openCampaign(harness, shop, "aws-personalized-ranking"),
    related: await openCampaign(harness, shop, "aws-sims"),
  };
  const filter = (name: string, expression: string) => openFilter(harness, shop, name, expression);
  const filters = {
    category: await filter("category", "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)"),
    unseen: await filter("unseen", "EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ($EVENT)"),
    cheaper: await filter("cheaper", "INCLUDE ItemID WHERE Items.PRICE < CurrentItem.PRICE"),
    cheapOrOwn: await filter("young", "EXCLUDE ItemID WHERE Items.PRICE > $MAX IF CurrentUser.AGE < 200"),
  };
  const recommend = (input: Omit<GetRecommendationsCommandInput, "campaignArn">, campaignArn = campaigns.user) =>
    harness.runtime.send(new GetRecommendationsCommand({ campaignArn, ...input }));
  return { harness, shop, campaigns, filters, recommend };
}
