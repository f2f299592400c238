import { type Statement, writeLogs } from "../../lib/aws/iam-statement.ts";

/** What recommendation-api may do: read and write records, store and count events, ask campaigns, tell of changes. */
export function recommendationApiPolicy(arns: {
  usersTable: string;
  itemsTable: string;
  popularItemsTable: string;
  ingestionTable: string;
  eventsStream: string;
  realtimeQueue: string;
  /** Campaigns that answer recommendations: of users' own and of similar items. */
  recommendationCampaigns: readonly string[];
  /** Campaigns that answer rankings. */
  rankingCampaigns: readonly string[];
  /** The project's parameters of this service: `…:parameter/relevance/<project>/recommendation/*`. */
  parameters: string;
  logGroup: string;
}): Statement[] {
  return [
    {
      sid: "ReadAndWriteRecords",
      actions: ["dynamodb:BatchGetItem", "dynamodb:BatchWriteItem"],
      resources: [arns.usersTable, arns.itemsTable],
    },
    { sid: "ReadPopularItems", actions: ["dynamodb:GetItem"], resources: [arns.popularItemsTable] },
    { sid: "CountEvents", actions: ["dynamodb:UpdateItem"], resources: [arns.ingestionTable] },
    { sid: "StoreEvents", actions: ["firehose:PutRecordBatch"], resources: [arns.eventsStream] },
    { sid: "TellOfChanges", actions: ["sqs:SendMessage"], resources: [arns.realtimeQueue] },
    { sid: "ReadPointers", actions: ["ssm:GetParameters"], resources: [arns.parameters] },
    ...some("Recommend", "personalize:GetRecommendations", arns.recommendationCampaigns),
    ...some("Rank", "personalize:GetPersonalizedRanking", arns.rankingCampaigns),
    // PutEvents names a tracking id, no resource: IAM knows it on every resource only. Source: API_UBS_PutEvents.
    { sid: "PassEventsOn", actions: ["personalize:PutEvents"], resources: ["*"] },
    writeLogs(arns.logGroup),
  ];
}

/** A statement without resources is not valid: a recipe that is not configured has no campaign. */
function some(sid: string, action: string, resources: readonly string[]): Statement[] {
  return resources.length > 0 ? [{ sid, actions: [action], resources }] : [];
}
