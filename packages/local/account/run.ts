import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { startApi } from "@relevance/local-aws/api/start.ts";
import { startCloud } from "@relevance/local-aws/cloud/front.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { refuseNativeVectors } from "../dev/knn-guard.ts";
import { openCluster } from "../dev/opensearch.ts";
import { devOptions } from "../dev/options.ts";
import type { Scope } from "../dev/scope.ts";
import { takeLock } from "../dev/state-file.ts";
import { requireTools } from "../dev/tools.ts";
import { createApis } from "./apis.ts";
import { createProjectModels } from "./models.ts";
import { personalizeByRegion } from "./personalize.ts";
import { discard, IDENTITY_PATH, placeIn, writeAccount } from "./place.ts";

/** Upper limit for the Wait states of state machines: trainings take seconds here. */
const LONGEST_WAIT_SECONDS = 1;

/**
 * Starts an empty account on loopback: the local AWS endpoint, an OpenSearch, and the server of deployed APIs.
 * Everything that starts is added to the scope. If the scope is closed before `isReady`, the data is deleted. Throws
 * LocalError with advice.
 */
export async function runAccount(
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
  { scope, say, isReady }: { scope: Scope; say: (line: string) => void; isReady: () => boolean },
): Promise<{ died: Promise<LocalError> }> {
  const place = placeIn(resolve(dir));
  const options = devOptions(["--dir", place.folder], { ...env, PORT: "" });
  if (!options) throw new Error("no options");
  await requireTools(options);
  mkdirSync(place.folder, { recursive: true });
  const holder = takeLock(place.lock);
  if (holder !== undefined) {
    throw new LocalError(`process ${holder} is starting the local account at this moment: run the command again`);
  }
  // Deletes the data if start-up failed.
  scope.add(() => isReady() || discard(place));
  // Removes the lock last, however the process ends by itself.
  process.once("exit", () => {
    rmSync(place.lock, { force: true });
  });

  const id = randomUUID();
  const endpoint = Promise.withResolvers<string>();
  const opensearchUrlGiven = options.opensearchUrl !== undefined;
  const models = createProjectModels(place.folder);
  const apis = createApis(endpoint.promise, opensearchUrlGiven ? (handler) => handler : refuseNativeVectors);
  const opening = startCloud({
    dir: options.installDir,
    workDir: join(place.folder, "cloud"),
    longestWaitSeconds: LONGEST_WAIT_SECONDS,
    standIns: [models, personalizeByRegion(join(place.folder, "personalize"), endpoint.promise)],
    controls: [models.control, { path: IDENTITY_PATH, handle: () => ({ status: 200, body: JSON.stringify({ id }) }) }],
    afterCall: apis.afterCall,
    onProgress: say,
  }).then((opened) => {
    scope.add(() => opened.stop());
    endpoint.resolve(opened.endpoint);
    return opened;
  });
  const { installDir, opensearchUrl: url, opensearchVersion: version } = options;
  const [cloud, cluster] = await Promise.all([
    opening,
    openCluster({ dir: place.folder, installDir, url, version, port: undefined, say }).then((opened) => {
      scope.add(() => opened.stop());
      return opened;
    }),
  ]);
  const api = await startApi({ services: apis.servicesAt });
  scope.add(() => api.stop());
  writeAccount(place, {
    pid: process.pid,
    id,
    endpoint: cloud.endpoint,
    apis: api.url,
    opensearch: { url: cluster.url, version: cluster.version },
  });
  return { died: Promise.race([cluster.died, cloud.died]) };
}
