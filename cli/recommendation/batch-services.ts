import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { RECIPE_KINDS } from "../../lib/platform/contract/recommendation.ts";
import { OPEN } from "../../lib/platform/http/access.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { readBuiltIn } from "../../lib/recommendation/clients/built-in-table.ts";
import { withItemCache } from "../../lib/recommendation/clients/item-cache.ts";
import { dynamoEtlLists } from "../../lib/recommendation/clients/popular-items.ts";
import { dynamoRecords } from "../../lib/recommendation/clients/record-store.ts";
import type { PlacementServices } from "../../lib/recommendation/placements/visit.ts";
import type { RecommendationSettings } from "../../lib/recommendation/service/settings.ts";
import { recommendationSettings } from "../../lib/recommendation/service/settings-of.ts";
import type { Configuration, Recommendation } from "../../lib/settings/configuration.ts";
import type { Placement } from "../../lib/settings/placements.ts";

/** Items of a batch are read once: their records are believed for its whole time, up to about 200 MB. */
const KEPT = { ttlMs: Number.POSITIVE_INFINITY, maxSize: 100_000_000 };
const STORE_MS = 20_000;

/** Returns the ARN of a filter of the configuration. */
export const filterArnOf =
  (names: Names) =>
  ({ filter }: { filter: RecommendationSettings["filters"][number] }): string =>
    names.arn("personalize", `filter/${filter.resource}`);

/** Returns what makes lists: the stores of the deployed service, and the given placements. Nothing is written, sent or logged. */
export function batchServices(
  config: Pick<Configuration, "project" | "api"> & { recommendation: Recommendation },
  names: Names,
  dynamo: DynamoDBClient,
  placements: { version: number; content: readonly Placement[] },
): Omit<PlacementServices, "campaigns"> {
  const settings = recommendationSettings(config, config.recommendation, names);
  const connect = async () => dynamo;
  const tables = { user: names.table("users"), item: names.table("items") };
  const arns = new Map([
    ...RECIPE_KINDS.map((kind) => [names.campaignParameter(kind), names.campaignArn(kind)] as const),
    ...settings.filters.map((filter) => [filter.parameter, filterArnOf(names)({ filter })] as const),
  ]);
  const read = async (wanted: readonly string[]) => wanted.map((name) => arns.get(name));
  return {
    settings,
    api: { log: () => {}, cors: undefined, project: settings.project, access: OPEN },
    pointers: { read, reread: read },
    records: withItemCache(dynamoRecords(connect, tables, STORE_MS), KEPT),
    builtIn: readBuiltIn(connect, names.table("built-in"), STORE_MS),
    ...dynamoEtlLists(connect, names.table("popular-items"), STORE_MS),
    placements: async () => placements,
    now: Date.now,
  };
}
