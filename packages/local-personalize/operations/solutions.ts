import * as v from "valibot";
import type { Account } from "../account.ts";
import { ARN, list, map, NAME, read, TAGS, text, texts } from "../members.ts";
import { parametersOf, recipeOf } from "../recipes.ts";
import { DATASET_TYPES, type Solution, type SolutionConfig } from "../resources.ts";
import { inUse, invalid, ServiceError } from "../service-error.ts";
import {
  BY_GROUP,
  beginDeletion,
  beginUpdate,
  describing,
  inProgress,
  isUpdating,
  listing,
  type Operation,
  onResource,
  operation,
  requireActive,
  requireUnused,
  summaryOf,
  updateSummary,
} from "./operation.ts";
import { versionSummary } from "./solution-versions.ts";

const MOST_SOLUTIONS = 10;
const PARAMETERS = v.optional(texts(text(256), 1000, 100));
const COLUMNS = list(text(150, { pattern: /^[A-Za-z_][A-Za-z\d_]*$/ }), 50);
const DAYS = /^rate\((\d+) days?\)$/;

const AutoTraining = v.optional(
  v.strictObject({ schedulingExpression: v.optional(text(16, { shortest: 1, pattern: DAYS })) }),
);
const Events = v.optional(
  v.strictObject({
    eventParametersList: v.optional(
      list(
        v.strictObject({
          eventType: v.optional(text(256)),
          eventValueThreshold: v.optional(v.number()),
          weight: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
        }),
        10,
      ),
    ),
  }),
);

const Config = v.strictObject({
  eventValueThreshold: v.optional(text(256)),
  algorithmHyperParameters: PARAMETERS,
  featureTransformationParameters: PARAMETERS,
  eventsConfig: Events,
  trainingDataConfig: v.optional(
    v.strictObject({
      excludedDatasetColumns: v.optional(map(text(256, { pattern: /^[A-Za-z_]+$/ }), COLUMNS, 3)),
    }),
  ),
  autoTrainingConfig: AutoTraining,
});

const summary = (solution: Solution) => ({ ...summaryOf(solution), recipeArn: solution.recipeArn });

/** The operations on solutions. AutoML, hyperparameter optimization and optimization objectives are rejected. */
export const SOLUTIONS: Readonly<Record<string, Operation>> = {
  CreateSolution: operation(
    v.strictObject({
      name: NAME,
      datasetGroupArn: ARN,
      recipeArn: v.optional(ARN),
      performHPO: v.optional(v.boolean(), false),
      performAutoML: v.optional(v.boolean(), false),
      performAutoTraining: v.optional(v.boolean(), true),
      performIncrementalUpdate: v.optional(v.boolean(), false),
      eventType: v.optional(text(256)),
      solutionConfig: v.optional(v.looseObject({}), {}),
      tags: TAGS,
    }),
    (input, account) => {
      const { name, datasetGroupArn, recipeArn, performHPO, performAutoTraining, eventType, tags } = input;
      refuseIncremental(input.performIncrementalUpdate);
      const group = account.find("dataset-group", datasetGroupArn);
      requireActive(group);
      if (performHPO || input.performAutoML)
        throw invalid("The local Personalize has neither performHPO nor performAutoML.");
      if (recipeArn === undefined) throw invalid("recipeArn is required when performAutoML is false.");
      const solutionConfig = readConfig(input.solutionConfig);
      checkParameters(recipeArn, solutionConfig);
      checkEvents(eventType, solutionConfig);
      checkExcluded(account, group.arn, solutionConfig);
      const present = account.list("solution").filter(({ groupArn }) => groupArn === group.arn).length;
      const about = { recipeArn, performHPO, performAutoTraining, solutionConfig };
      return account.add(
        { kind: "solution", name, groupArn: group.arn, ...about, ...(eventType !== undefined && { eventType }) },
        { tags, quota: { present, most: MOST_SOLUTIONS } },
      );
    },
  ),
  DescribeSolution: describing("solution", (solution, account) => {
    const { groupArn: datasetGroupArn, performHPO, performAutoTraining, eventType, solutionConfig, update } = solution;
    const latest = account.list("solution-version").findLast(({ solutionArn }) => solutionArn === solution.arn);
    return {
      ...summary(solution),
      datasetGroupArn,
      performHPO,
      performAutoML: false,
      performAutoTraining,
      performIncrementalUpdate: false,
      solutionConfig,
      ...(eventType !== undefined && { eventType }),
      ...(update && { latestSolutionUpdate: updateSummary(update) }),
      ...(latest && { latestSolutionVersion: versionSummary(latest) }),
    };
  }),
  ListSolutions: listing("solution", summary, BY_GROUP),
  UpdateSolution: operation(
    v.strictObject({
      solutionArn: ARN,
      performAutoTraining: v.optional(v.boolean()),
      performIncrementalUpdate: v.optional(v.boolean(), false),
      solutionUpdateConfig: v.optional(v.strictObject({ autoTrainingConfig: AutoTraining, eventsConfig: Events })),
    }),
    ({ solutionArn, performAutoTraining, performIncrementalUpdate, solutionUpdateConfig }, account) => {
      const solution = account.find("solution", solutionArn);
      requireActive(solution);
      if (isUpdating(solution.update)) {
        throw inUse(`Solution ${solutionArn} is already being updated, its update is ${solution.update.status}.`);
      }
      refuseIncremental(performIncrementalUpdate);
      const { autoTrainingConfig, eventsConfig } = solutionUpdateConfig ?? {};
      checkDays(autoTrainingConfig);
      checkEvents(solution.eventType, { eventsConfig });
      const settings = {
        ...(solutionUpdateConfig && { solutionUpdateConfig }),
        ...(performAutoTraining !== undefined && { performAutoTraining }),
      };
      beginUpdate(solution, settings, account);
      return { solutionArn };
    },
  ),
  DeleteSolution: onResource("solution", (solution, account) => {
    const own = (arn: string) => arn.startsWith(`${solution.arn}/`);
    const campaigns = account
      .list("campaign")
      .filter(({ solutionVersionArn, update }) => own(solutionVersionArn) || own(update?.solutionVersionArn ?? ""));
    const training = account.list("solution-version").filter((version) => own(version.arn) && inProgress(version));
    requireUnused(solution, [...campaigns, ...training]);
    return beginDeletion(solution, account);
  }),
};

function readConfig(given: object): SolutionConfig {
  const refused = ["hpoConfig", "autoMLConfig", "optimizationObjective"].find((name) => name in given);
  if (refused) throw invalid(`The local Personalize has no solutionConfig.${refused}.`);
  const config = read(Config, given);
  checkDays(config.autoTrainingConfig);
  return config;
}

function checkDays(config: SolutionConfig["autoTrainingConfig"]): void {
  const [, days] = DAYS.exec(config?.schedulingExpression ?? "rate(7 days)") ?? [];
  if (Number(days) < 1 || Number(days) > 30) throw invalid(`autoTrainingConfig must be 1 to 30 days, got ${days}.`);
}

function refuseIncremental(performIncrementalUpdate: boolean): void {
  if (!performIncrementalUpdate) return;
  throw invalid("performIncrementalUpdate is for the semantic-similarity recipe, which the local Personalize lacks.");
}

function checkParameters(arn: string, config: SolutionConfig): void {
  const recipe = recipeOf(arn);
  if (!recipe) throw new ServiceError("ResourceNotFoundException", `Recipe with ARN ${arn} does not exist.`);
  for (const result of [
    parametersOf(recipe, "algorithm", config.algorithmHyperParameters),
    parametersOf(recipe, "featurization", config.featureTransformationParameters),
  ]) {
    if ("problem" in result && result.problem !== undefined) throw invalid(`${result.problem}.`);
  }
}

function checkEvents(eventType: string | undefined, { eventValueThreshold, eventsConfig }: SolutionConfig): void {
  if (eventValueThreshold !== undefined) {
    if (eventValueThreshold.trim() === "" || !Number.isFinite(Number(eventValueThreshold))) {
      throw invalid(`eventValueThreshold must be a number, got "${eventValueThreshold}".`);
    }
    if (eventType === undefined) throw invalid("eventValueThreshold needs an eventType.");
  }
  if (eventsConfig && eventType !== undefined) throw invalid("eventType and eventsConfig cannot be given together.");
}

const REQUIRED_COLUMNS = ["USER_ID", "ITEM_ID", "TIMESTAMP"];

function checkExcluded(account: Account, groupArn: string, { trainingDataConfig }: SolutionConfig): void {
  for (const [name, columns] of Object.entries(trainingDataConfig?.excludedDatasetColumns ?? {})) {
    const type = DATASET_TYPES.find((candidate) => candidate === name.toUpperCase());
    const dataset = type && account.datasetOf(groupArn, type);
    if (!dataset) throw invalid(`excludedDatasetColumns: the dataset group has no ${name} dataset.`);
    const fields = account.schemaOf(dataset).fields.map((field) => field.name);
    for (const column of columns) {
      if (!fields.includes(column)) throw invalid(`excludedDatasetColumns: ${name} has no column ${column}.`);
      if (REQUIRED_COLUMNS.includes(column)) throw invalid(`excludedDatasetColumns: ${column} of ${name} is required.`);
    }
  }
}
