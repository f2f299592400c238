import * as v from "valibot";
import { ARN, NAME, PAGE, TAGS } from "../members.ts";
import type { SolutionVersion } from "../resources.ts";
import { inUse, invalid } from "../service-error.ts";
import { dates, inProgress, type Operation, operation, page, requireActive, requireRoom, state } from "./operation.ts";

const MOST_AT_ONCE = 20;
const ByArn = v.strictObject({ solutionVersionArn: ARN });

/** Returns a solution version as lists show it. */
export function versionSummary(version: SolutionVersion) {
  return {
    solutionVersionArn: version.arn,
    trainingMode: version.trainingMode,
    trainingType: "MANUAL",
    ...state(version),
    ...dates(version),
  };
}

/** The operations on solution versions. Each version is one training. */
export const SOLUTION_VERSIONS: Readonly<Record<string, Operation>> = {
  CreateSolutionVersion: operation(
    v.strictObject({
      name: v.optional(NAME),
      solutionArn: ARN,
      trainingMode: v.optional(v.picklist(["FULL", "UPDATE", "AUTOTRAIN"]), "FULL"),
      tags: TAGS,
    }),
    ({ name, solutionArn, trainingMode, tags }, account) => {
      const solution = account.find("solution", solutionArn);
      requireActive(solution);
      const versions = account.list("solution-version");
      if (trainingMode === "AUTOTRAIN") throw invalid("trainingMode AUTOTRAIN is the service's own.");
      if (trainingMode === "UPDATE") {
        if (!solution.recipeArn.endsWith("/aws-user-personalization")) {
          throw invalid("trainingMode UPDATE is for the recipe aws-user-personalization only.");
        }
        if (!versions.some((version) => version.solutionArn === solutionArn && version.status === "ACTIVE")) {
          throw invalid("trainingMode UPDATE needs an ACTIVE solution version that was trained with FULL.");
        }
      }
      if (!account.datasetOf(solution.groupArn, "INTERACTIONS")) {
        throw invalid(`The dataset group ${solution.groupArn} has no Interactions dataset.`);
      }
      const message = `More than ${MOST_AT_ONCE} resources with PENDING or IN_PROGRESS status.`;
      requireRoom(versions.filter(inProgress).length, MOST_AT_ONCE, message);
      const id = name ?? account.newId();
      const arn = `${solutionArn}/${id}`;
      const named = name !== undefined;
      account.add({ kind: "solution-version", arn, name: id, named, solutionArn, trainingMode }, tags);
      return { solutionVersionArn: arn };
    },
  ),
  DescribeSolutionVersion: operation(ByArn, ({ solutionVersionArn }, account) => {
    const version = account.find("solution-version", solutionVersionArn);
    const solution = account.find("solution", version.solutionArn);
    const { trainingHours } = version;
    return {
      solutionVersion: {
        ...versionSummary(version),
        ...(version.named && { name: version.name }),
        solutionArn: solution.arn,
        performHPO: solution.performHPO,
        performAutoML: false,
        recipeArn: solution.recipeArn,
        datasetGroupArn: solution.groupArn,
        solutionConfig: solution.solutionConfig,
        ...(solution.eventType !== undefined && { eventType: solution.eventType }),
        ...(trainingHours !== undefined && { trainingHours }),
      },
    };
  }),
  ListSolutionVersions: operation(v.strictObject({ solutionArn: v.optional(ARN), ...PAGE }), (input, account) => {
    if (input.solutionArn !== undefined) account.find("solution", input.solutionArn);
    const versions = account.list("solution-version");
    const own = versions.filter(({ solutionArn }) => solutionArn === (input.solutionArn ?? solutionArn));
    const { shown, next } = page(own, input);
    return { solutionVersions: shown.map(versionSummary), ...next };
  }),
  GetSolutionMetrics: operation(ByArn, ({ solutionVersionArn }, account) => {
    const version = account.find("solution-version", solutionVersionArn);
    requireActive(version);
    return { solutionVersionArn, metrics: version.metrics ?? {} };
  }),
  StopSolutionVersionCreation: operation(ByArn, ({ solutionVersionArn }, account) => {
    const version = account.find("solution-version", solutionVersionArn);
    if (!inProgress(version) || version.status === "CREATE STOPPING")
      throw inUse(`Solution version ${version.arn} is not being created, it is ${version.status}.`);
    // A training that has not started stops immediately, others take a while. Source: API reference of this operation.
    version.status = version.status === "CREATE PENDING" ? "CREATE STOPPED" : "CREATE STOPPING";
    version.phaseAt = account.now();
    version.updatedAt = version.phaseAt;
    account.changed();
    return {};
  }),
};
