import type { LambdaClient } from "@aws-sdk/client-lambda";
import * as v from "valibot";
import { functionsOf } from "../../build/settings-files.ts";
import { ignoreNotFound } from "../../lib/platform/aws/errors.ts";
import { parseJson } from "../../lib/platform/json/values.ts";
import { type FunctionName, LIVE_ALIAS } from "../../lib/platform/naming/names.ts";
import { readParameter, writeParameters } from "../discovery/sdk/parameters.ts";
import type { Project } from "../project.ts";

/** Deployments whose function versions are kept, the current one included. */
const KEPT_DEPLOYMENTS = 5;

const History = v.array(v.object({ at: v.string(), functions: v.record(v.string(), v.string()) }));

/** The function versions of one deployment. */
export type Deployment = v.InferOutput<typeof History>[number];

/** Version of each function to which its alias points. */
export type Versions = Readonly<Record<string, string>>;

/** Returns the recorded deployments, newest first; none if nothing valid is recorded. */
export async function readHistory({ sdk, names }: Pick<Project, "sdk" | "names">): Promise<Deployment[]> {
  const text = await readParameter(sdk, names.deploymentsParameter());
  const parsed = v.safeParse(History, parseJson(text ?? "[]"));
  return parsed.success ? parsed.output : [];
}

/** Records the deployments to which `rollback` can return, newest first. */
export async function writeHistory(
  { sdk, names }: Pick<Project, "sdk" | "names">,
  history: readonly Deployment[],
): Promise<void> {
  await writeParameters(sdk, { [names.deploymentsParameter()]: JSON.stringify(history.slice(0, KEPT_DEPLOYMENTS)) });
}

/** Returns the version behind the alias of each deployed function. */
export async function liveVersions({ sdk, config, names }: Project): Promise<Versions> {
  const { GetAliasCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  const client = new LambdaClient(sdk);
  const found = functionsOf(config).map(async (name): Promise<[string, string][]> => {
    const command = new GetAliasCommand({ FunctionName: names.function(name), Name: LIVE_ALIAS });
    const version = (await ignoreNotFound(client.send(command)))?.FunctionVersion;
    return version === undefined ? [] : [[name, version]];
  });
  return Object.fromEntries((await Promise.all(found)).flat());
}

/** Records the function versions of a deployment and deletes versions to which no recorded deployment refers. */
export async function recordVersions(project: Project): Promise<void> {
  const functions = await liveVersions(project);
  const before = await readHistory(project);
  const history = sameVersions(before[0]?.functions ?? {}, functions)
    ? before
    : [{ at: new Date().toISOString(), functions: { ...functions } }, ...before].slice(0, KEPT_DEPLOYMENTS);
  if (history !== before) await writeHistory(project, history);
  await pruneVersions(project, history);
}

/** Returns whether two sets of versions are the same. */
export function sameVersions(one: Versions, other: Versions): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => one[key] === other[key]);
}

/**
 * Deletes the versions of each function except those of recorded deployments and the newest, which Terraform's state
 * names even after a rollback. Reports a refusal instead of failing: the deployment is complete.
 */
async function pruneVersions({ sdk, config, terminal, names }: Project, history: readonly Deployment[]): Promise<void> {
  const { DeleteFunctionCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  const client = new LambdaClient(sdk);
  for (const name of functionsOf(config)) {
    const FunctionName = names.function(name);
    try {
      for (const Qualifier of prunable(await publishedVersions(client, FunctionName), name, history)) {
        await ignoreNotFound(client.send(new DeleteFunctionCommand({ FunctionName, Qualifier })));
      }
    } catch (error) {
      terminal.note(
        `Old versions of ${FunctionName} were not deleted: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
}

/** Returns the versions of a function to delete: older than the newest, and part of no recorded deployment. */
export function prunable(published: readonly string[], name: FunctionName, history: readonly Deployment[]): string[] {
  const newest = String(Math.max(0, ...published.map(Number)));
  const kept = new Set([newest, ...history.map(({ functions }) => functions[name])]);
  return published.filter((version) => !kept.has(version));
}

async function publishedVersions(client: LambdaClient, FunctionName: string): Promise<string[]> {
  const { paginateListVersionsByFunction } = await import("@aws-sdk/client-lambda");
  const found: string[] = [];
  for await (const { Versions = [] } of paginateListVersionsByFunction({ client }, { FunctionName })) {
    found.push(...Versions.flatMap(({ Version }) => (Version === undefined || Version === "$LATEST" ? [] : [Version])));
  }
  return found;
}
