import type { FilterRecord } from "@relevance/lib/personalize/filters/evaluate.ts";
import type { Interaction } from "../data/interactions.ts";
import { type Recipe, TREND_SECONDS } from "../recipes.ts";
import { type FeatureColumns, type ItemFeatures, itemFeatures } from "./item-features.ts";
import { metricsOf } from "./metrics.ts";
import { pacer } from "./pace.ts";
import { relatedItems } from "./related-items.ts";
import { best, type TasteModel, tasteScores, trainTaste } from "./taste-model.ts";
import {
  type EventChoice,
  eventsOf,
  holdOut,
  isChosen,
  itemCounts,
  packed,
  type TrainingSet,
  trainingSet,
} from "./training-set.ts";
import { risingFirst } from "./trend.ts";

/** A trained solution version. Later imports do not change it. Plain data, so that it can be stored. */
export interface Model {
  set: TrainingSet;
  /** When the training data was read. Later events are added to a user's history when serving. */
  takenAt: number;
  choice: EventChoice;
  /** Item indexes, most popular first. */
  popular: readonly number[];
  learned:
    | { learner: "taste"; taste: TasteModel }
    | { learner: "co-occurrence"; related: readonly Int32Array[] }
    | { learner: "popularity" };
}

export interface TrainingInput {
  recipe: Recipe;
  /** The recipe's parameters, including defaults. */
  parameters: Readonly<Record<string, string>>;
  interactions: readonly Interaction[];
  choice: EventChoice;
  /** The rows of the Items dataset. */
  items: ReadonlyMap<string, FilterRecord>;
  /** The columns of Items that the training may use. */
  featureColumns: FeatureColumns;
  takenAt: number;
}

/** The reason why a solution version fails. The message becomes its `failureReason`. */
export class TrainingFailure extends Error {
  override name = "TrainingFailure";
}

const LEAST_INTERACTIONS = 1000;
const LEAST_USERS = 25;
const LEAST_EACH = 2;
/** With more users than this, metrics use a sample, so that they cost less than training. */
const MOST_MEASURED = 1500;
const LIST_LENGTH = 25;

/**
 * Trains a recipe twice: first without each user's newest events, which then serve to measure it, then with all events.
 * Throws `TrainingFailure`.
 */
export async function train(input: TrainingInput): Promise<{ model: Model; metrics: Record<string, number> }> {
  const chosen = input.interactions.filter((interaction) => isChosen(input.choice, interaction));
  const set = trainingSet(chosen, input.items.keys());
  checkMinimums(set, input.choice);
  const features = itemFeatures(set.items, input.items, input.featureColumns);
  const { known, hidden } = holdOut(set);
  const metrics = await measure(await learn(known, features, input), known, hidden);
  return { model: await learn(set, features, input), metrics };
}

function checkMinimums(set: TrainingSet, { thresholds }: EventChoice): void {
  const filtered = thresholds ? ` after filtering by event type: ${[...thresholds.keys()].join(", ")}` : "";
  if (set.eventItems.length < LEAST_INTERACTIONS) {
    throw new TrainingFailure(
      `Dataset has fewer than ${LEAST_INTERACTIONS} interactions${filtered} (it has ${set.eventItems.length}).`,
    );
  }
  const users = set.users.filter((_, user) => eventsOf(set, user).length >= LEAST_EACH).length;
  if (users < LEAST_USERS) {
    throw new TrainingFailure(
      `Dataset has fewer than ${LEAST_USERS} users with at least ${LEAST_EACH} interactions each (it has ${users}).`,
    );
  }
}

async function learn(set: TrainingSet, features: ItemFeatures, input: TrainingInput): Promise<Model> {
  const { recipe, parameters, choice, takenAt } = input;
  const popular = best(itemCounts(set), set.items.length);
  const learningSet = withoutOutliers(set, parameters);
  const base = { set, takenAt, choice, popular };
  switch (recipe.learner) {
    case "taste": {
      const recency = (parameters.apply_recency_bias ?? parameters.recency_mask ?? "true").toLowerCase() === "true";
      return { ...base, learned: { learner: "taste", taste: await trainTaste(learningSet, features, recency) } };
    }
    case "co-occurrence": {
      const sims = {
        popularityDiscount: Number(parameters.popularity_discount_factor),
        leastTogether: Number(parameters.min_cointeraction_count),
      };
      const related = await relatedItems(learningSet, recipe.name === "aws-sims" ? sims : features);
      return { ...base, learned: { learner: "co-occurrence", related } };
    }
    case "popularity":
      return { ...base, learned: { learner: "popularity" } };
    case "trend": {
      const seconds = TREND_SECONDS[parameters.trend_discovery_frequency ?? ""] ?? 0;
      const chosen = input.interactions.filter((interaction) => isChosen(choice, interaction));
      const rising = risingFirst(chosen, set.items, popular, seconds);
      return { ...base, popular: rising, learned: { learner: "popularity" } };
    }
  }
}

/** Drops the events of users whose history is shorter or longer than the recipe's percentiles. */
function withoutOutliers(set: TrainingSet, parameters: Readonly<Record<string, string>>): TrainingSet {
  const events = set.users.map((_, user) => eventsOf(set, user));
  const sorted = events.map(({ length }) => length).sort((a, b) => a - b);
  const at = (share: string | undefined, otherwise: number) =>
    sorted[Math.round(Number(share ?? otherwise) * (sorted.length - 1))] ?? 0;
  const shortest = at(parameters.min_user_history_length_percentile, 0);
  const longest = at(parameters.max_user_history_length_percentile, 1);
  const kept = events.map((own) => (own.length >= shortest && own.length <= longest ? own : NO_EVENTS));
  return { ...set, ...packed(kept) };
}

const NO_EVENTS = new Int32Array();

/** Ranks for the users with hidden events, or for a sample of them, and computes the metrics. */
async function measure(
  { learned, popular, set }: Model,
  known: TrainingSet,
  hidden: readonly Int32Array[],
): Promise<Record<string, number>> {
  const step = Math.ceil(hidden.length / MOST_MEASURED);
  const judges = hidden.map((events, user) => (user % step === 0 ? events : NO_EVENTS));
  const pace = pacer();
  const lists: (readonly number[])[] = [];
  for (const [user, { length }] of judges.entries()) {
    const events = [...eventsOf(known, user)];
    if (length === 0) continue;
    if (learned.learner === "taste") lists[user] = best(tasteScores(learned.taste, events), LIST_LENGTH);
    else if (learned.learner === "co-occurrence") lists[user] = [...(learned.related[events.at(-1) ?? -1] ?? [])];
    else lists[user] = popular;
    const pause = pace();
    if (pause) await pause;
  }
  return metricsOf(judges, set.items.length, (user) => lists[user] ?? []);
}
