import { randomUUID } from "node:crypto";
import { type FilterRecord, itemTest, parseFilterValues } from "@relevance/lib/personalize/filters/evaluate.ts";
import { everyCondition, type Filter, parseFilter } from "@relevance/lib/personalize/filters/parser.ts";
import { FilterError } from "@relevance/lib/personalize/filters/tokens.ts";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { forUser, type ModelIndex, rankFor, relatedTo, type Scored } from "./learn/answer.ts";
import { isChosen } from "./learn/training-set.ts";
import { ARN, FILTER_VALUES, list, text, texts, whole } from "./members.ts";
import { servedVersion } from "./operations/campaigns.ts";
import { type Operation, operation } from "./operations/operation.ts";
import { type Recipe, recipeOf } from "./recipes.ts";
import type { Campaign, SolutionVersion } from "./resources.ts";
import { invalid } from "./service-error.ts";

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
    const newer = input.userId === undefined ? [] : newerItems(account, source, input.userId);
    const items = recommendedItems(account, source, { ...input, newer }, count);
    const itemList = items.map((item) => ({ ...item, ...metadata?.(item.itemId) }));
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
    const ranked = rankedItems(account, source, { ...input, newer: newerItems(account, source, input.userId) });
    return {
      personalizedRanking: ranked.map((item) => ({ ...item, ...metadata?.(item.itemId) })),
      recommendationId: newRecommendationId(),
    };
  },
);

/**
 * Returns the first items that a version recommends and that match the filter. `newer` are items of events after
 * training.
 */
export function recommendedItems(
  account: Account,
  source: Source,
  input: FilterInput & { newer: readonly string[] },
  count: number,
): Scored[] {
  const passes = requestFilter(account, source, input);
  const found: Scored[] = [];
  for (const item of candidatesFor(source, input)) {
    if (found.length === count) break;
    if (passes(item.itemId)) found.push(item);
  }
  return found;
}

/** Ranks the items that match the filter. */
export function rankedItems(
  account: Account,
  source: Source,
  input: FilterInput & { userId: string; inputList: readonly string[]; newer: readonly string[] },
): Scored[] {
  const wanted = [...new Set(input.inputList)].filter(requestFilter(account, source, input));
  return rankFor(source.index, input.userId, input.newer, wanted);
}

function candidatesFor(
  source: Source,
  { userId, itemId, newer }: FilterInput & { newer: readonly string[] },
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
  return forUser(index, userId, newer);
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

/** A trained version with its model. */
interface Source {
  recipe: Recipe;
  groupArn: string;
  index: ModelIndex;
}

/** An ACTIVE campaign with its model. */
interface Serving extends Source {
  campaign: Campaign;
}

/** Returns a campaign with its model. Throws ResourceNotFoundException, or InvalidInputException unless ACTIVE. */
function serving(account: Account, campaignArn: string): Serving {
  const campaign = account.find("campaign", campaignArn);
  if (campaign.status !== "ACTIVE") throw invalid(`Campaign ${campaignArn} is not ACTIVE, it is ${campaign.status}.`);
  return { campaign, ...sourceOf(account, servedVersion(account, campaign.solutionVersionArn)) };
}

/** Returns an ACTIVE version with its model. */
export function sourceOf(account: Account, version: SolutionVersion): Source {
  const solution = account.find("solution", version.solutionArn);
  const index = account.model(version.arn);
  const recipe = recipeOf(solution.recipeArn);
  if (!index || !recipe) throw new Error(`the model of ${version.arn} is not in the storage directory`);
  return { recipe, groupArn: solution.groupArn, index };
}

/** Returns the items of a user's events that arrived after training and match its event choice, oldest first. */
function newerItems(account: Account, { groupArn, index }: Serving, userId: string): string[] {
  const dataset = account.datasetOf(groupArn, "INTERACTIONS");
  if (!dataset) return [];
  const { takenAt, choice } = index.model;
  return account
    .data(dataset.arn)
    .interactions()
    .ofUser(userId)
    .filter((event) => event.receivedAt !== undefined && event.receivedAt >= takenAt && isChosen(choice, event))
    .map(({ itemId }) => itemId)
    .reverse();
}

interface FilterInput {
  filterArn?: string | undefined;
  filterValues?: Readonly<Record<string, string>> | undefined;
  userId?: string | undefined;
  itemId?: string | undefined;
}

/** Returns a test for the items of a response. Throws the service's error for a filter that cannot be applied. */
function requestFilter(account: Account, serving: Source, input: FilterInput): (itemId: string) => boolean {
  const { filterArn, filterValues = {}, userId, itemId } = input;
  if (filterArn === undefined) {
    if (Object.keys(filterValues).length > 0) throw invalid("filterValues needs a filterArn.");
    return () => true;
  }
  const filter = account.find("filter", filterArn);
  if (filter.groupArn !== serving.groupArn) throw invalid(`Filter ${filterArn} is of another dataset group.`);
  if (filter.status !== "ACTIVE") throw invalid(`Filter ${filterArn} is not ACTIVE, it is ${filter.status}.`);
  const parsed = parseFilter(filter.expression);
  if (serving.recipe.type !== "RELATED_ITEMS" && readsCurrentItem(parsed)) {
    throw invalid(`Filter ${filterArn} uses CurrentItem, which works with related items only.`);
  }
  const items = recordsOf(account, serving.groupArn, "ITEMS");
  const users = recordsOf(account, serving.groupArn, "USERS");
  try {
    const passes = itemTest(parsed, {
      values: parseFilterValues(filterValues),
      interactions: userId === undefined ? [] : interactionsOf(account, serving.groupArn, userId),
      currentUser: userId === undefined ? undefined : users.get(userId),
      currentItem: itemId === undefined ? undefined : items.get(itemId),
    });
    return (candidate) => passes(candidate, items.get(candidate));
  } catch (error) {
    if (error instanceof FilterError) throw invalid(`Filter ${filterArn}: ${error.message}.`);
    throw error;
  }
}

/** Returns the rows of a group's items or users by ID. Empty if the group has no such dataset. */
function recordsOf(account: Account, groupArn: string, type: "ITEMS" | "USERS"): ReadonlyMap<string, FilterRecord> {
  const dataset = account.datasetOf(groupArn, type);
  return dataset ? account.data(dataset.arn).records(type === "ITEMS" ? "ITEM_ID" : "USER_ID") : new Map();
}

function interactionsOf(account: Account, groupArn: string, userId: string) {
  const dataset = account.datasetOf(groupArn, "INTERACTIONS");
  return dataset ? account.data(dataset.arn).interactions().ofUser(userId) : [];
}

function readsCurrentItem(filter: Filter): boolean {
  for (const { condition } of everyCondition(filter)) {
    if (condition.operands.some(({ kind }) => kind === "field")) return true;
  }
  return false;
}
