import { randomUUID } from "node:crypto";
import { personalizeCampaigns } from "../../lib/personalize/runtime/campaigns.ts";
import { firehoseLines } from "../../lib/platform/aws/record-stream.ts";
import { secretReader } from "../../lib/platform/aws/secret-reader.ts";
import type { AwsVariables } from "../../lib/platform/aws/signed-call.ts";
import { signedIfChanged } from "../../lib/platform/aws/signed-object.ts";
import { currentKey, documentReader, parsedBy } from "../../lib/platform/aws/versioned-documents.ts";
import { createAccess } from "../../lib/platform/http/access.ts";
import { tokenChecks } from "../../lib/platform/http/open-tokens.ts";
import { userIdKey } from "../../lib/platform/request-log/user-ids.ts";
import { once } from "../../lib/platform/resilience/once.ts";
import { dynamoEventCounter } from "../../lib/recommendation/clients/accepted-events.ts";
import { readBuiltIn, writeRecent } from "../../lib/recommendation/clients/built-in-table.ts";
import { withItemCache } from "../../lib/recommendation/clients/item-cache.ts";
import { createPointers, ssmParameters } from "../../lib/recommendation/clients/parameters.ts";
import { dynamoEtlLists } from "../../lib/recommendation/clients/popular-items.ts";
import { personalizeEvents, sqsChanges } from "../../lib/recommendation/clients/realtime.ts";
import { dynamoRecords } from "../../lib/recommendation/clients/record-store.ts";
import { PLACEMENTS, parsePlacements } from "../../lib/recommendation/placements/document.ts";
import { trainedEvent } from "../../lib/recommendation/records/trained-event.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";
import type { RecommendationSettings } from "../../lib/recommendation/service/settings.ts";
import type { RecommendationApiEnv } from "./env.ts";

/** Returns the services over real clients. Each SDK is loaded on first use. */
export function createServices(
  env: RecommendationApiEnv,
  settings: RecommendationSettings,
  variables: () => AwsVariables,
  print: (line: string) => void,
): RecommendationServices {
  const { campaign_ms, store_ms, realtime_ms } = settings.timeouts;
  const { item_cache_ms } = settings;
  const dynamo = once(async () => {
    const { DynamoDBClient } = await import("@aws-sdk/client-dynamodb");
    return new DynamoDBClient({ maxAttempts: 1 });
  });
  const records = dynamoRecords(dynamo, { user: env.USERS_TABLE, item: env.ITEMS_TABLE }, store_ms);
  return {
    settings,
    api: {
      log: print,
      cors: settings.cors,
      project: settings.project,
      access: createAccess(settings, env.API_KEYS, tokenChecks(secretReader(variables))),
    },
    pointers: createPointers(ssmParameters(store_ms, variables)),
    campaigns: personalizeCampaigns(campaign_ms),
    records: item_cache_ms > 0 ? withItemCache(records, { ttlMs: item_cache_ms }) : records,
    builtIn: readBuiltIn(dynamo, env.BUILT_IN_TABLE, store_ms),
    writeRecent: writeRecent(dynamo, env.BUILT_IN_TABLE, store_ms),
    ...dynamoEtlLists(dynamo, env.POPULAR_ITEMS_TABLE, store_ms),
    placements: documentReader(
      "the document of placements",
      signedIfChanged(variables, { bucket: env.BUCKET, key: currentKey(PLACEMENTS), timeoutMs: store_ms }),
      parsedBy(parsePlacements),
    ),
    eventStream: firehoseLines(env.EVENTS_STREAM, "the event store", store_ms),
    countEvents: dynamoEventCounter(dynamo, env.INGESTION_TABLE, store_ms),
    eventTracker: personalizeEvents(trainedEvent(settings.definitions), realtime_ms),
    changes: sqsChanges(env.REALTIME_QUEUE_URL, realtime_ms),
    requestLog: { print, userIdKey: userIdKey(settings.logging, secretReader(variables), print) },
    now: Date.now,
    newId: randomUUID,
  };
}
