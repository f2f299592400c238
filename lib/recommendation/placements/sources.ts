import { MAX_RESULTS } from "../../personalize/limits.ts";
import type { CampaignAnswer } from "../../personalize/runtime/campaigns.ts";
import { reasonOf } from "../../platform/aws/errors.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { FallbackList } from "../../settings/placements.ts";
import { askCampaign, CampaignFailure } from "../api/ask-campaign.ts";
import type { FilterChoice } from "../api/filter-choice.ts";
import { listOf } from "../built-in/suggest.ts";
import type { Profile } from "../records/profile.ts";
import { logFailure } from "../service/reply.ts";
import { valuesOf } from "./arrange.ts";
import type { Source, Test } from "./candidates.ts";
import type { LocalFilter } from "./local-filter.ts";
import { failed, STAGES } from "./stages.ts";
import type { Visit } from "./visit.ts";

/** Candidates to ask for by item of the list, so that exclusions and diversity seldom cost a second call. */
const CANDIDATES_PER_ITEM = 5;

interface CampaignOptions {
  filter: FilterChoice | undefined;
  stage: typeof STAGES.source | typeof STAGES.promotions;
  /** The recipe, or the promotion, in messages. */
  target: string;
  /** A filter beside the one that the campaign applies. */
  also?: LocalFilter;
  /** Called with the id of the first answer. */
  onAnswer?: (recommendationId: string | null) => void;
  /** Called with the failure of a campaign. */
  onFailure?: (failure: CampaignFailure) => void;
}

/**
 * Returns the items that the placement's campaign recommends; undefined without a recipe, or if there is nobody and nothing
 * to recommend for. The first call starts at once, so that those of promotions run beside it. If it fails, the source is
 * empty and the answer says why.
 */
export function campaignSource(visit: Visit, options: CampaignOptions): Source | undefined {
  const { placement, seeds, userId, services, call, excluded, degraded } = visit;
  const { stage, target, onAnswer, onFailure } = options;
  if (placement.recipe === undefined) return undefined;
  const queries: { itemId?: string; userId?: string }[] =
    placement.recipe === "similar_items"
      ? seeds.map((itemId) => ({ itemId, ...(userId !== undefined && { userId }) }))
      : userId === undefined
        ? []
        : [{ userId }];
  if (queries.length === 0) return undefined;
  const report = (error: unknown, effect?: string) => {
    const failure = campaignFailure(error);
    logFailure(services, call, failure.message, failure.cause ?? failure);
    onFailure?.(failure);
    if (degraded.some((entry) => entry.stage === stage.name && entry.target === target)) return;
    degraded.push({ ...failed(stage, target, failure.message), ...(effect && { effect }) });
  };
  const asked = Math.min(MAX_RESULTS, placement.limit * CANDIDATES_PER_ITEM + excluded.size);
  const askAll = (count: number) =>
    Promise.allSettled(queries.map((query) => ask(visit, options.filter, query, count)));
  const first = askAll(asked);
  async function* batches() {
    const answers = answered(await first, report);
    onAnswer?.(answers[0]?.recommendationId ?? null);
    const ids = interleaved(answers);
    yield ids;
    if (asked === MAX_RESULTS || answers.every(({ itemIds }) => itemIds.length < asked)) return;
    const more = answered(await askAll(MAX_RESULTS), (error) => report(error, "the list was not refilled"));
    const known = new Set(ids);
    yield interleaved(more).filter((id) => !known.has(id));
  }
  return {
    origin: "campaign",
    async open() {
      return options.also ? tested(batches(), options.also, (error) => report(error)) : { batches: batches() };
    },
  };
}

/** Returns the ids with the test of a filter; none if the filter cannot be applied. */
async function tested(
  batches: AsyncIterable<readonly string[]>,
  filter: LocalFilter,
  report: (error: unknown) => void,
): Promise<{ batches: AsyncIterable<readonly string[]>; passes?: Test }> {
  try {
    return { batches, passes: (await filter()).passes };
  } catch (error) {
    report(error);
    return { batches: nothing() };
  }
}

async function* nothing(): AsyncGenerator<readonly string[]> {
  // A source that cannot be used.
}

/** Reports failed calls, and returns the answers of the others. */
function answered(
  results: readonly PromiseSettledResult<CampaignAnswer>[],
  report: (error: unknown) => void,
): CampaignAnswer[] {
  return results.flatMap((result) => {
    if (result.status === "fulfilled") return [result.value];
    report(result.reason);
    return [];
  });
}

function ask(
  { services, call, placement }: Visit,
  filter: FilterChoice | undefined,
  query: { itemId?: string; userId?: string },
  numResults: number,
): Promise<CampaignAnswer> {
  const metadata = call.body.context?.metadata ?? undefined;
  const question = {
    recipe: placement.recipe ?? "user_personalization",
    filter,
    hasContext: metadata !== undefined,
    ask: (arns: { campaignArn: string; filterArn?: string }) =>
      services.campaigns.recommend(
        {
          ...arns,
          ...query,
          numResults,
          ...(filter && { filterValues: filter.formatted }),
          ...(metadata && { context: metadata }),
        },
        call.deadline,
      ),
  };
  return askCampaign(services, question, call.deadline);
}

/**
 * Returns what an error means for a placement. A filter that is not there, or that Personalize refuses, is no mistake of
 * the caller, who did not choose it.
 */
function campaignFailure(error: unknown): CampaignFailure {
  if (error instanceof CampaignFailure) return error;
  if (!(error instanceof ApiError)) throw error;
  return new CampaignFailure("refused", error.message.replace(/\.$/, ""), { cause: error });
}

/** Returns the ids of several answers in turn, each id once. */
function interleaved(answers: readonly CampaignAnswer[]): string[] {
  const longest = Math.max(0, ...answers.map(({ itemIds }) => itemIds.length));
  const ids = Array.from({ length: longest }, (_, rank) => answers.flatMap(({ itemIds }) => itemIds[rank] ?? []));
  return [...new Set(ids.flat())];
}

/**
 * Returns a list of the fallback chain, to which the placement's own filters apply. If it cannot be read, or a filter not
 * be applied, the source is empty and the answer says why.
 */
export function fallbackSource(visit: Visit, list: FallbackList, filter: LocalFilter | undefined): Source {
  const { services, call, degraded } = visit;
  const report = (what: string) => (error: unknown) => {
    const reason = error instanceof ApiError ? error.message.replace(/\.$/, "") : reasonOf(what, error);
    logFailure(services, call, `the fallback ${list.list} failed`, error);
    if (degraded.some(({ stage, target }) => stage === STAGES.fallback.name && target === list.list)) return;
    degraded.push(failed(STAGES.fallback, list.list, reason));
  };
  async function* batches(what: string, read: () => Promise<readonly string[] | undefined>) {
    try {
      yield (await read()) ?? [];
    } catch (error) {
      report(what)(error);
    }
  }
  const popular = () =>
    batches("the list of popular items", async () => [
      ...listOf([], (await services.popularItems(call.deadline)) ?? [], await known(visit)),
    ]);
  const filteredBy = (ids: AsyncIterable<readonly string[]>) =>
    filter ? tested(ids, filter, report("the filter")) : Promise.resolve({ batches: ids });
  return {
    origin: list.list,
    async open() {
      switch (list.list) {
        case "built_in":
          return filteredBy(batches("the built-in engine", async () => (await visit.suggested()).itemIds));
        case "popular":
          return filteredBy(popular());
        case "newest":
          return filteredBy(batches("the list of newest items", () => services.newestItems(call.deadline)));
        case "items":
          return filteredBy(batches("the list of chosen items", async () => list.item_ids));
        case "category_popular": {
          const categories = await categoriesOf(visit, list.column, report("the item store"));
          if (categories.size === 0) return { batches: nothing() };
          const { batches: ids, passes }: Awaited<ReturnType<typeof tested>> = await filteredBy(popular());
          const isIn = (record: Profile) => [...valuesOf(record, list.column)].some((value) => categories.has(value));
          return { batches: ids, passes: (id, record) => isIn(record) && passes?.(id, record) !== false };
        }
      }
    },
  };
}

/** Returns what no list has that comes from the built-in engine, or that follows its items. */
async function known({ placement, suggested }: Visit): Promise<ReadonlySet<string>> {
  const usesEngine = placement.engine === "built_in" || placement.fallback.some(({ list }) => list === "built_in");
  if (!usesEngine) return new Set();
  // The engine's own list says why it could not be read.
  return suggested().then(
    (found) => found.known,
    () => new Set(),
  );
}

/** Returns the categories that the page is about. */
async function categoriesOf(
  { call, seedRecords, seeds }: Visit,
  column: string,
  report: (error: unknown) => void,
): Promise<ReadonlySet<string>> {
  const named = call.body.context?.category;
  if (named != null) return new Set([named]);
  if (seeds.length === 0) return new Set();
  const { records, failure } = await seedRecords();
  if (failure) report(failure.cause);
  return new Set([...records.values()].flatMap((record) => [...valuesOf(record, column)]));
}
