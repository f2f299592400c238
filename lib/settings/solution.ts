import * as v from "valibot";
import { MAX_EVENT_TYPES_AND_FIELDS } from "../personalize/limits.ts";
import { DATASET_NAME_LIST, RECIPE_KINDS, type RecipeKind } from "../platform/contract/recommendation.ts";
import { flag, integer, list, numberAbove, numeric, section, text, word } from "./kinds.ts";
import { ColumnName } from "./names.ts";
import { DEFAULT_RECIPES, recipesOf, TRAINING_MODES } from "./recipes.ts";

const column = ColumnName("A column.", "the name of a column");

const Parameter = section(
  {
    name: text(
      /^[a-z_]{1,64}$/,
      "the name of a recipe's parameter, such as hidden_dimension",
      "Name, as Personalize has it.",
    ),
    value: v.pipe(
      v.union([v.pipe(v.number(), v.finite()), v.boolean(), v.string()]),
      v.metadata({ allowed: "a number, a text, or true or false", description: "Value within the recipe's limits." }),
    ),
  },
  "One parameter.",
);

const Excluded = section(
  {
    name: word(DATASET_NAME_LIST, "Dataset."),
    value: list(column, "Columns to leave out.", { min: 1, max: 50 }),
  },
  "Columns of one dataset.",
);

const eventType = (description: string) => text(/^.{1,256}$/u, "text of 1 to 256 characters", description);

function defaultRecipe(kind: RecipeKind): string {
  const { now, before } = DEFAULT_RECIPES[kind];
  return before === undefined ? now : `${now}, or ${before} if a setting that only it has is used`;
}

const RecipeSettings = (kind: RecipeKind) =>
  section(
    {
      recipe_name: v.optional(word(recipesOf(kind), `Personalize's recipe. Default: ${defaultRecipe(kind)}.`)),
      target_event_type: v.optional(
        eventType("EVENT_TYPE that training uses; the data must have it. Default: all of `event_types`."),
      ),
      event_value_threshold: v.optional(
        text(
          /^-?\d+(\.\d+)?$/,
          'a number in quotes, such as "0.5"',
          "Smallest EVENT_VALUE that training uses, written as text. Default: all events.",
        ),
      ),
      parameters: v.optional(
        list(Parameter, "Parameters of the recipe. Others keep Personalize's defaults.", { max: 50 }),
        [],
      ),
      excluded_dataset_columns: v.optional(list(Excluded, "Columns to leave out of training.", { max: 3 }), []),
    },
    `Settings of ${kind}.`,
  );

const MetricGate = section(
  {
    tolerance: v.optional(
      numeric(0, 1, "How much worse, relative to the active version, NDCG@25 of a new one may be."),
      0.1,
    ),
    strict: v.optional(flag("Whether worse versions are always held back, even the third in a row."), false),
  },
  "When a new solution version is held back.",
);

const Retraining = section(
  {
    schedule: text(
      /^(rate\([1-9]\d* (minutes?|hours?|days?)\)|cron\((\S+ ){5}\S+\))$/,
      "a schedule such as rate(7 days) or cron(0 3 ? * SUN *)",
      "When training starts, in UTC.",
    ),
    training_mode: v.optional(word(TRAINING_MODES, "Mode of those trainings."), "update_dataset_group"),
  },
  "Scheduled training. Without it, only `relevance train` starts trainings.",
);

/** conf/solution.yaml */
export const SolutionSchema = section(
  {
    event_types: v.optional(
      list(
        eventType("An EVENT_TYPE."),
        "EVENT_TYPEs that go to Personalize, by training and in real time. Events of other types are stored only. Default: those that recipes and filters name; a recipe without target_event_type names all.",
        { min: 1, max: MAX_EVENT_TYPES_AND_FIELDS },
      ),
    ),
    recipes: section(
      {
        user_personalization: v.optional(RecipeSettings("user_personalization")),
        similar_items: v.optional(RecipeSettings("similar_items")),
        personalized_ranking: v.optional(RecipeSettings("personalized_ranking")),
      } satisfies Record<RecipeKind, v.GenericSchema>,
      "Any of the three kinds of recommendations; {} for none. The built-in engine answers the kinds that are not here.",
    ),
    built_in: v.optional(
      list(
        word(RECIPE_KINDS, "A kind of recommendations."),
        "Kinds with a recipe that the built-in engine answers all the same. The recipe is trained, but its campaign is not called.",
        { min: 1, max: RECIPE_KINDS.length },
      ),
    ),
    metric_gate: v.optional(MetricGate, {}),
    retraining: v.optional(Retraining),
  },
  "What is trained, and how.",
);

/** conf/solution.yaml with its defaults. */
export type Solution = v.InferOutput<typeof SolutionSchema>;

const settings = {
  min_provisioned_tps: integer(1, undefined, "Requests per second that are always provisioned, and billed."),
};

const Settings = (kind: string) => section(settings, `Campaign of ${kind}.`);

const Exploration = section(
  {
    exploration_weight: v.optional(
      numeric(0, 1, "How often items with few events or little relevance are recommended: 0 never, 1 most."),
      0.3,
    ),
    exploration_item_age_cut_off: v.optional(
      numberAbove(0, 36_500, "Age in days, counted from the newest event, up to which an item is explored."),
      30,
    ),
  },
  "How new items are tried out. Of the recipe aws-user-personalization only.",
);

/** conf/campaign.yaml */
export const CampaignSchema = section(
  {
    campaigns: section(
      {
        user_personalization: v.optional(
          section(
            { ...settings, item_exploration_config: v.optional(Exploration) },
            "Campaign of user_personalization.",
          ),
        ),
        similar_items: v.optional(Settings("similar_items")),
        personalized_ranking: v.optional(Settings("personalized_ranking")),
      } satisfies Record<RecipeKind, v.GenericSchema>,
      "One entry per recipe of solution.yaml.",
    ),
  },
  "Campaigns, which answer requests.",
);

/** conf/campaign.yaml */
export type Campaign = v.InferOutput<typeof CampaignSchema>;
