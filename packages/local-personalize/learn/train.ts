import type { FilterRecord } from "@relevance/lib/personalize/filters/evaluate.ts";
import type { Interaction } from "../data/interactions.ts";
import { type Recipe, TREND_SECONDS } from "../recipes.ts";
import { type CoOccurrence, type CoOccurrenceOptions, trainCoOccurrence } from "./co-occurrence.ts";
import { type FeatureColumns, type ItemFeatures, itemFeatures } from "./item-features.ts";
import { metricsOf, type Ranking } from "./metrics.ts";
import { pacer } from "./pace.ts";
import { type Blend, best, blendScores, type TasteModel, tasteParts, trainTaste } from "./taste-model.ts";
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
    | { learner: "co-occurrence"; coOccurrence: CoOccurrence }
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
const MOST_CHOOSING = 300;
const FEW_USERS = 200;
const LIST_LENGTH = 25;
const BLENDS: readonly Blend[] = [0.1, 0.4].flatMap((popularity) =>
  [0, 0.1, 0.3].map((categories) => ({ popularity, categories })),
);

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
  const trial = await learn(known, features, input);
  const blend = trial.learned.learner === "taste" ? await chooseBlend(trial.learned.taste, known, hidden) : undefined;
  const judges = measured(hidden);
  const lists = await forEach(judges, ranking(trial, known, blend));
  const metrics = metricsOf(judges, set.items.length, (user) => lists[user] ?? []);
  const model = await learn(set, features, input);
  if (blend && model.learned.learner === "taste") model.learned.taste.blend = blend;
  return { model, metrics };
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
      const taste = await trainTaste(learningSet, features, { rank: rankFor(parameters.hidden_dimension), recency });
      return { ...base, learned: { learner: "taste", taste } };
    }
    case "co-occurrence": {
      const coOccurrence = await trainCoOccurrence(learningSet, coOccurrenceOptions(recipe, parameters, features));
      return { ...base, learned: { learner: "co-occurrence", coOccurrence } };
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

/** Scales `hidden_dimension` down: a factorization needs far fewer dimensions than the service's neural network. */
function rankFor(hiddenDimension = "149"): number {
  return Math.max(8, Math.min(48, Math.round(Number(hiddenDimension) / 7)));
}

function coOccurrenceOptions(
  recipe: Recipe,
  parameters: Readonly<Record<string, string>>,
  features: ItemFeatures,
): CoOccurrenceOptions {
  if (recipe.name === "aws-sims") {
    return {
      popularityDiscount: Number(parameters.popularity_discount_factor),
      leastTogether: Number(parameters.min_cointeraction_count),
    };
  }
  return { popularityDiscount: 0.5, leastTogether: 1, features };
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

/**
 * Returns the hidden events to measure with: those of users that did not help to choose the blend, or all if there are
 * few users. The other users' events are emptied.
 */
function measured(hidden: readonly Int32Array[]): Int32Array[] {
  if (hidden.length < FEW_USERS) return [...hidden];
  const step = Math.max(1, Math.ceil(hidden.length / 2 / MOST_MEASURED));
  return hidden.map((events, user) => (user % 2 === 1 && (user >> 1) % step === 0 ? events : new Int32Array()));
}

async function chooseBlend(taste: TasteModel, known: TrainingSet, hidden: readonly Int32Array[]): Promise<Blend> {
  const step = 2 * Math.max(1, Math.ceil(hidden.length / 2 / MOST_CHOOSING));
  const judges = hidden.map((events, user) => (user % step === 0 ? events : new Int32Array()));
  const lists = await forEach(judges, (user) => {
    const parts = tasteParts(taste, [...eventsOf(known, user)]);
    return BLENDS.map((blend) => best(blendScores(taste, parts, blend), LIST_LENGTH));
  });
  const gains = BLENDS.map((_, index) => {
    const metrics = metricsOf(judges, 1, (user) => lists[user]?.[index] ?? []);
    return metrics.normalized_discounted_cumulative_gain_at_25 ?? 0;
  });
  return BLENDS[gains.indexOf(Math.max(...gains))] ?? taste.blend;
}

/** Returns the result of `work` for each user with hidden events. */
async function forEach<Result>(hidden: readonly Int32Array[], work: (user: number) => Result): Promise<Result[]> {
  const pace = pacer();
  const results: Result[] = [];
  for (const [user, events] of hidden.entries()) {
    if (events.length > 0) results[user] = work(user);
    const pause = pace();
    if (pause) await pause;
  }
  return results;
}

function ranking({ learned, popular }: Model, known: TrainingSet, blend: Blend | undefined): Ranking {
  if (learned.learner === "taste") {
    return (user) =>
      best(blendScores(learned.taste, tasteParts(learned.taste, [...eventsOf(known, user)]), blend), LIST_LENGTH);
  }
  if (learned.learner === "co-occurrence") {
    return (user) => [...(learned.coOccurrence.related[eventsOf(known, user).at(-1) ?? -1] ?? [])];
  }
  return () => popular;
}
