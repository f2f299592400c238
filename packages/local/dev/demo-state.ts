import { DynamoDBClient, GetItemCommand, paginateScan } from "@aws-sdk/client-dynamodb";
import { DescribeCampaignCommand, PersonalizeClient } from "@aws-sdk/client-personalize";
import type { DemoData } from "@relevance/demo-data/readers.ts";
import { ignoreNotFound } from "@relevance/lib/platform/aws/errors.ts";
import { RECIPE_KINDS } from "@relevance/lib/platform/contract/recommendation.ts";
import { namesOf } from "@relevance/lib/platform/naming/names.ts";
import type { Recommendation } from "@relevance/lib/settings/configuration.ts";
import { ACCOUNT_ID, REGION, rootOptions } from "@relevance/local-aws/cloud/account.ts";

/** Share of events from which an upload counts as complete. The counter of accepted events may be too low. */
const MOST = 0.99;

/** The parts of the demo that the running stack already has. */
export interface DemoState {
  /** The stack has the last user, the last item and {@link MOST} of the demo's events. */
  uploaded: boolean;
  /** Every configured recipe has an active campaign. */
  trained: boolean;
  /** At least one configured recipe has an active campaign. */
  begun: boolean;
}

/** Checks in the local AWS endpoint which steps an earlier `make demo-train` has finished. */
export async function findWhatIsThere(
  endpoint: string,
  project: string,
  { solution }: Pick<Recommendation, "solution">,
  { readers, books, interactions }: DemoData,
): Promise<DemoState> {
  const names = namesOf({ project, account: ACCOUNT_ID, region: REGION });
  const options = rootOptions({ endpoint });
  const dynamo = new DynamoDBClient(options);
  const personalize = new PersonalizeClient(options);

  const has = async (TableName: string, key: string, id: string | undefined) => {
    const Key = { [key]: { S: id ?? "" } };
    return (await dynamo.send(new GetItemCommand({ TableName, Key }))).Item !== undefined;
  };
  const accepted = async () => {
    let sum = 0;
    for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName: names.table("ingestion") })) {
      for (const { ACCEPTED } of Items) sum += Number(ACCEPTED?.N ?? 0);
    }
    return sum;
  };
  const isActive = async (recipe: string) => {
    const campaignArn = names.arn("personalize", `campaign/${names.campaign(recipe)}`);
    const found = await ignoreNotFound(personalize.send(new DescribeCampaignCommand({ campaignArn })));
    return found?.campaign?.status === "ACTIVE";
  };

  const configured = RECIPE_KINDS.filter((recipe) => solution.recipes[recipe] !== undefined);
  const [user, item, events, active] = await Promise.all([
    has(names.table("users"), "USER_ID", readers.at(-1)?.USER_ID),
    has(names.table("items"), "ITEM_ID", books.at(-1)?.id),
    accepted(),
    Promise.all(configured.map(isActive)),
  ]);
  return {
    uploaded: user && item && events >= MOST * interactions.length,
    trained: active.every(Boolean),
    begun: active.some(Boolean),
  };
}
