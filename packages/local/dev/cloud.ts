import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Names } from "@relevance/lib/platform/naming/names.ts";
import { PREFIXES } from "@relevance/lib/platform/naming/object-keys.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { type Cloud, startCloud } from "@relevance/local-aws/cloud/front.ts";
import type { AfterCall } from "@relevance/local-aws/cloud/router.ts";
import { modelControlOverHttp } from "@relevance/local-models/control.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import { createBucket, localClients } from "./clients.ts";
import { createDeployedRoles } from "./deployed-roles.ts";
import { keptObjects } from "./kept-objects.ts";
import type { DevModels } from "./models.ts";
import type { DevOptions } from "./options.ts";
import { openPersonalize } from "./recommendation.ts";
import type { Scope } from "./scope.ts";

/** The AWS endpoint of the stack. */
export interface DevCloud extends Cloud {
  /** Sets the function that runs after each call to the endpoint. */
  onCall: (afterCall: AfterCall) => void;
}

interface CloudOptions {
  options: Pick<DevOptions, "dir" | "installDir">;
  configuration: Configuration;
  names: Names;
  models: Pick<DevModels, "standIns">;
  /** Folder with the data of the recommendation service. */
  folder: string;
  port?: number;
  scope: Scope;
  say: (line: string) => void;
}

/** Starts the AWS endpoint and creates the resources that both services need. Adds it to the scope. */
export async function openCloud(given: CloudOptions): Promise<DevCloud> {
  const { options, configuration, names, scope } = given;
  const { standIns } = given.models;
  const endpoint = Promise.withResolvers<string>();
  let afterCall: AfterCall = async () => undefined;
  let keepLog: AfterCall = async () => undefined;
  const personalize = configuration.recommendation && openPersonalize(given.folder, endpoint.promise);
  const cloud = await startCloud({
    dir: options.installDir,
    workDir: cloudFolder(options.dir, scope),
    ...(given.port !== undefined && { port: given.port }),
    standIns: [standIns, ...(personalize ? [personalize] : [])],
    controls: [modelControlOverHttp(standIns.control)],
    afterCall: async (call) => {
      await Promise.all([afterCall(call), keepLog(call)]);
    },
    onProgress: given.say,
  });
  scope.add(() => cloud.stop());
  endpoint.resolve(cloud.endpoint);
  const { s3 } = localClients(cloud);
  const log = keptObjects(join(options.dir, "request-log"), s3, names.bucket(), PREFIXES.logs);
  await Promise.all([
    createBucket(s3, names.bucket(), cloud.region).then(log.restore),
    createDeployedRoles(cloud, configuration),
  ]);
  keepLog = log.keep;
  const onCall = (run: AfterCall) => {
    afterCall = run;
  };
  return { ...cloud, onCall };
}

/** Creates the local cloud's folder. Removes it at the end, when moto loses its state and the files become useless. */
function cloudFolder(dir: string, scope: Scope): string {
  const folder = scratchFolder(join(dir, "dev"), "cloud");
  scope.add(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
