import { randomUUID } from "node:crypto";
import * as v from "valibot";
import type { Account } from "../account.ts";
import { forUser, rankFor, relatedTo, type Scored } from "../learn/answer.ts";
import { ARN, FILTER_VALUES, list, text, texts, whole } from "../members.ts";
import { type Operation, operation } from "../operations/operation.ts";
import { invalid } from "../service-error.ts";
import { newerItems, type Serving, serving } from "./campaign.ts";
import { recordsOf, requestFilter } from "./filtering.ts";

const DEFAULT_RESULTS = 25;
const MOST_RESULTS = 500;
const MOST_WITH_METADATA = 50;
const MOST_METADATA_COLUMNS = 10;

const ID = text(256);
const CONTEXT = v.optional(texts(text(150, { pattern: /^[A-Za-z\d_]+$/ }), 1000, 150));
const METADATA = v.optional(v.record(v.picklist(["ITEMS"]), list(text(150), MOST_METADATA_COLUMNS)));

/** GetRecommendations: returns items for a user or items related to an item, depending on the campaign's recipe. */
export const getRecommendations: Operation = operation(
  v.strictObject({
    campaignArn: v.optional(ARN),
    recommenderArn: v.optional(ARN),
    userId: v.optional(ID),
    itemId: v.optional(ID),
    numResults: v.optional(whole(0), 0),
    context: CONTEXT,
    filterArn: v.optional(ARN),
    filterValues: FILTER_VALUES,
    promotions: v.optional(v.array(v.unknown()), []),
    metadataColumns: METADATA,
  }),
  (input, account) => {
    if (input.recommenderArn !== undefined)
      throw invalid("The local Personalize has no recommenders: use campaignArn.");
    if (input.promotions.length > 0) throw invalid("The local Personalize has no promotions.");
    if (input.campaignArn === undefined) throw invalid("campaignArn is required.");
    const source = serving(account, input.campaignArn);
    const metadata = metadataReader(account, source, input.metadataColumns);
    const count = input.numResults || DEFAULT_RESULTS;
    requireAtMost("numResults", count, metadata !== undefined);
    const candidates = candidatesFor(account, source, input);
    const passes = requestFilter(account, source, input);
    const itemList: object[] = [];
    for (const item of candidates) {
      if (itemList.length === count) break;
      if (passes(item.itemId)) itemList.push({ ...item, ...metadata?.(item.itemId) });
    }
    return { itemList, recommendationId: newRecommendationId() };
  },
);

/** GetPersonalizedRanking: ranks the given items for a user. */
export const getPersonalizedRanking: Operation = operation(
  v.strictObject({
    campaignArn: ARN,
    inputList: v.array(ID),
    userId: ID,
    context: CONTEXT,
    filterArn: v.optional(ARN),
    filterValues: FILTER_VALUES,
    metadataColumns: METADATA,
  }),
  (input, account) => {
    const source = serving(account, input.campaignArn);
    if (source.recipe.type !== "PERSONALIZED_RANKING") {
      throw invalid(`GetPersonalizedRanking needs a ranking recipe, this campaign has ${source.recipe.name}.`);
    }
    const metadata = metadataReader(account, source, input.metadataColumns);
    if (input.inputList.length === 0) throw invalid("inputList is empty.");
    requireAtMost("inputList", input.inputList.length, metadata !== undefined);
    const passes = requestFilter(account, source, input);
    const wanted = [...new Set(input.inputList)].filter(passes);
    const ranked = rankFor(source.index, input.userId, newerItems(account, source, input.userId), wanted);
    return {
      personalizedRanking: ranked.map((item) => ({ ...item, ...metadata?.(item.itemId) })),
      recommendationId: newRecommendationId(),
    };
  },
);

function candidatesFor(
  account: Account,
  source: Serving,
  { userId, itemId }: { userId?: string | undefined; itemId?: string | undefined },
): Scored[] {
  const { recipe, index } = source;
  if (recipe.type === "PERSONALIZED_RANKING") {
    throw invalid(`GetRecommendations cannot be used with ${recipe.name}: use GetPersonalizedRanking.`);
  }
  if (recipe.type === "RELATED_ITEMS") {
    if (itemId === undefined) throw invalid(`itemId is required for the recipe ${recipe.name}.`);
    return relatedTo(index, itemId);
  }
  if (userId === undefined) throw invalid(`userId is required for the recipe ${recipe.name}.`);
  return forUser(index, userId, newerItems(account, source, userId));
}

function requireAtMost(name: string, count: number, withMetadata: boolean): void {
  const most = withMetadata ? MOST_WITH_METADATA : MOST_RESULTS;
  if (count > most) throw invalid(`${name} is at most ${most}${withMetadata ? " with metadata" : ""}, got ${count}.`);
}

function metadataReader(
  account: Account,
  { campaign, groupArn }: Serving,
  wanted: Readonly<Record<string, string[]>> | undefined,
): ((itemId: string) => { metadata: Record<string, string> }) | undefined {
  if (!wanted) return undefined;
  if (campaign.campaignConfig?.enableMetadataWithRecommendations !== true) {
    throw invalid(`metadataColumns needs enableMetadataWithRecommendations, which campaign ${campaign.arn} lacks.`);
  }
  const dataset = account.datasetOf(groupArn, "ITEMS");
  const known = dataset ? account.schemaOf(dataset).fields.map(({ name }) => name) : [];
  const columns = wanted.ITEMS ?? [];
  const unknown = columns.find((column) => !known.includes(column));
  if (unknown !== undefined) throw invalid(`metadataColumns: Items has no column ${unknown}.`);
  const records = recordsOf(account, groupArn, "ITEMS");
  return (itemId) => {
    const values = columns.map((column) => [column, records.get(itemId)?.[column]] as const);
    const present = values.filter(([, value]) => value !== null && value !== undefined);
    return { metadata: Object.fromEntries(present.map(([column, value]) => [column, String(value)])) };
  };
}

function newRecommendationId(): string {
  return `RID-${randomUUID().replaceAll("-", "")}`;
}
