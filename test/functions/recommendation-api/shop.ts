import { CreateFilterCommand } from "@aws-sdk/client-personalize";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { openCampaign, openShop, type Shop, stockShop } from "../../../packages/local-personalize/test/book-shop.ts";
import { expressionOf, type FilterName, type World } from "./world.ts";

const RECIPES = {
  user_personalization: "aws-user-personalization",
  similar_items: "aws-sims",
  personalized_ranking: "aws-personalized-ranking",
} as const;

/** A trained shop with its pointers, and with its items and users in the tables. */
export interface OpenShop extends Shop {
  campaigns: Record<keyof typeof RECIPES, string>;
}

/** Fills a dataset group, trains all three recipes, and writes the tables and parameters that the API reads. */
export async function openTrainedShop(world: World): Promise<OpenShop> {
  const { harness, names } = world;
  const shop = await openShop(harness, world.project);
  await stockShop(harness, shop);
  const campaigns = { user_personalization: "", similar_items: "", personalized_ranking: "" };
  for (const [recipe, name] of Object.entries(RECIPES) as [keyof typeof RECIPES, string][]) {
    campaigns[recipe] = await openCampaign(harness, shop, name, { name: names.campaign(recipe) });
    await world.putParameter(names.campaignParameter(recipe), campaigns[recipe]);
  }
  await world.putParameter(names.eventTrackerParameter(), shop.trackingId);
  for (const name of ["category", "cheap", "unseen", "without", "member"] as const) await openFilter(world, shop, name);
  await putItems(
    world,
    shop.data.items.map(({ itemId, categories, price }) => ({
      ITEM_ID: itemId,
      TITLE: `Title of ${itemId}`,
      CATEGORIES: categories,
      PRICE: price,
      IS_ACTIVE: "True",
    })),
  );
  return { ...shop, campaigns };
}

/** Creates the filter of a name, with its own or another expression, and points to it. */
export async function openFilter(world: World, shop: Shop, name: FilterName, expression: string = expressionOf(name)) {
  const { filterArn = "" } = await world.harness.personalize.send(
    new CreateFilterCommand({
      name: world.names.filter(name, expression),
      datasetGroupArn: shop.groupArn,
      filterExpression: expression,
    }),
  );
  await world.harness.settle();
  await world.putParameter(world.names.filterParameter(name), filterArn);
  return filterArn;
}

/** Puts items into the table unchanged. */
export async function putItems({ dynamo, names }: World, items: readonly Record<string, unknown>[]): Promise<void> {
  for (let at = 0; at < items.length; at += 25) {
    const puts = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
    await dynamo.send(new BatchWriteCommand({ RequestItems: { [names.table("items")]: puts } }));
  }
}
