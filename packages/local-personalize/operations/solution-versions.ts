import * as v from "valibot";
import { ARN, NAME, TAGS } from "../members.ts";
import type { SolutionVersion } from "../resources.ts";
import { inUse, invalid } from "../service-error.ts";
import {
  beginPhase,
  describing,
  inProgress,
  listing,
  type Operation,
  onResource,
  operation,
  requireActive,
  requireRoom,
  summaryOf,
} from "./operation.ts";

const MOST_AT_ONCE = 20;

/** Returns a solution version in the form of list entries. */
export function versionSummary(version: SolutionVersion) {
  const { name: _, ...common } = summaryOf(version);
  return { ...common, trainingMode: version.trainingMode, trainingType: "MANUAL" };
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
      requireRoom(account, "solution-version", MOST_AT_ONCE);
      const id = name ?? account.newId();
      const arn = `${solutionArn}/${id}`;
      const named = name !== undefined;
      return account.add({ kind: "solution-version", arn, name: id, named, solutionArn, trainingMode }, { tags });
    },
  ),
  DescribeSolutionVersion: describing("solution-version", (version, account) => {
    const solution = account.find("solution", version.solutionArn);
    const { trainingHours } = version;
    return {
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
    };
  }),
  ListSolutionVersions: listing("solution-version", versionSummary, {
    member: "solutionArn",
    owns: (arn, { solutionArn }) => arn === solutionArn,
    kind: "solution",
  }),
  GetSolutionMetrics: onResource("solution-version", (version) => {
    requireActive(version);
    return { solutionVersionArn: version.arn, metrics: version.metrics ?? {} };
  }),
  StopSolutionVersionCreation: onResource("solution-version", (version, account) => {
    if (!inProgress(version) || version.status === "CREATE STOPPING")
      throw inUse(`Solution version ${version.arn} is not being created, it is ${version.status}.`);
    // A training that has not started stops immediately; others take a while. Source: API reference of
    // StopSolutionVersionCreation.
    const begun = version.status !== "CREATE PENDING";
    return beginPhase(version, begun ? "CREATE STOPPING" : "CREATE STOPPED", account);
  }),
};
