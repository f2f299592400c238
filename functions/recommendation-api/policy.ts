import { type OwnSecrets, readOwnSecrets, type Statement, writeLogs } from "../../lib/platform/aws/iam-statement.ts";
import { currentKey } from "../../lib/platform/aws/versioned-documents.ts";
import { PLACEMENTS } from "../../lib/recommendation/placements/document.ts";

/** Returns the permissions of recommendation-api: records, placements, events, counters, campaigns and the queue of changes. */
export function recommendationApiPolicy(arns: {
  usersTable: string;
  itemsTable: string;
  popularItemsTable: string;
  builtInTable: string;
  ingestionTable: string;
  eventsStream: string;
  realtimeQueue: string;
  /** Campaigns that recommend items to a user or similar items. */
  recommendationCampaigns: readonly string[];
  /** Campaigns that rank items. */
  rankingCampaigns: readonly string[];
  /** ARN of the project's parameters for this service: `…:parameter/relevance/<project>/recommendation/*`. */
  parameters: string;
  bucket: string;
  /** KMS key of the bucket. */
  key: string;
  /** The key that hashes user ids, and those that sign tokens; absent without any. */
  ownSecrets?: OwnSecrets | undefined;
  logGroup: string;
}): Statement[] {
  return [
    {
      sid: "ReadAndWriteRecords",
      actions: ["dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:UpdateItem"],
      resources: [arns.usersTable, arns.itemsTable],
    },
    {
      sid: "ReadNeighboursAndKeepRecentItems",
      actions: ["dynamodb:BatchGetItem", "dynamodb:BatchWriteItem"],
      resources: [arns.builtInTable],
    },
    { sid: "ReadPopularItems", actions: ["dynamodb:GetItem"], resources: [arns.popularItemsTable] },
    { sid: "CountEvents", actions: ["dynamodb:UpdateItem"], resources: [arns.ingestionTable] },
    { sid: "StoreEvents", actions: ["firehose:PutRecordBatch"], resources: [arns.eventsStream] },
    { sid: "TellOfChanges", actions: ["sqs:SendMessage"], resources: [arns.realtimeQueue] },
    { sid: "ReadPointers", actions: ["ssm:GetParameters"], resources: [arns.parameters] },
    // No permission to list: `deploy` always writes the document, so it is never absent.
    { sid: "ReadPlacements", actions: ["s3:GetObject"], resources: [`${arns.bucket}/${currentKey(PLACEMENTS)}`] },
    { sid: "UseTheBucketsKey", actions: ["kms:Decrypt"], resources: [arns.key] },
    ...some("Recommend", "personalize:GetRecommendations", arns.recommendationCampaigns),
    ...some("Rank", "personalize:GetPersonalizedRanking", arns.rankingCampaigns),
    // PutEvents takes a tracking id, not an ARN, so IAM supports no resource for it. Source: API_UBS_PutEvents.
    { sid: "PassEventsOn", actions: ["personalize:PutEvents"], resources: ["*"] },
    ...readOwnSecrets(arns.ownSecrets),
    writeLogs(arns.logGroup),
  ];
}

/** Returns a statement, or none without resources, which IAM rejects. Only configured recipes have campaigns. */
function some(sid: string, action: string, resources: readonly string[]): Statement[] {
  return resources.length > 0 ? [{ sid, actions: [action], resources }] : [];
}
