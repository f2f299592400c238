import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { hasSuggestions, referencedModels } from "@relevance/lib/infrastructure/endpoints.ts";
import type { Names } from "@relevance/lib/platform/naming/names.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { loadConfiguration } from "@relevance/lib/settings/load.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import { type LocalKeys, localKeys } from "./api-key.ts";
import { buildBundles } from "./bundles.ts";
import type { LocalClients } from "./clients.ts";
import { createDeployedRoles } from "./deployed-roles.ts";
import type { Gateway } from "./gateway.ts";
import type { DevCluster } from "./opensearch.ts";
import type { DevOptions } from "./options.ts";
import { putDocuments, routerEnvironment } from "./router-environment.ts";
import type { Scope } from "./scope.ts";
import { openSuggestions } from "./suggestions.ts";

interface ReloadOptions {
  options: Pick<DevOptions, "conf" | "dir">;
  /** What the stack started with. */
  configuration: Configuration;
  gateway: Pick<Gateway, "replace">;
  cluster: DevCluster;
  cloud: Cloud;
  clients: LocalClients;
  names: Names;
  /** Folder of the sparse model's files. */
  modelFiles: string;
  scope: Scope;
}

/** The configuration that a gateway serves with, and its keys. */
export interface Loaded {
  configuration: Configuration;
  keys: LocalKeys["named"];
}

/**
 * Returns a function that makes the running gateway, its suggestions, rules and synonyms use the configuration as it is
 * now. It throws ConfigurationError, or LocalError if only a new start can use the change; the gateway then stays as it
 * was. Calls must not overlap.
 */
export function reloader(given: ReloadOptions): () => Promise<Loaded> {
  const { options, cluster, cloud, names, gateway, modelFiles, scope } = given;
  let used = given.configuration;
  let count = 0;
  return async () => {
    const next = loadConfiguration(options.conf);
    const { searchGateway } = next;
    if (!searchGateway || !isReloadable(given.configuration, next))
      throw new LocalError("only a new start uses this change: press Ctrl-C and start again");
    const keys = localKeys(options.dir, next.api.keys);
    await putDocuments(cloud, next, names);
    if (!isDeepStrictEqual(servedParts(next), servedParts(used))) {
      const folder = scratchFolder(join(options.dir, "dev"), "reloaded");
      if (count === 0) scope.add(() => rm(folder, { recursive: true, force: true }));
      // A function loads its chunks when it first needs them, so the folder before must stay.
      count += 1;
      const outdir = join(folder, String(count));
      const functions = ["api-router", "search-events", ...(hasSuggestions(searchGateway) ? ["suggestions"] : [])];
      await Promise.all([
        buildBundles({ outdir, conf: options.conf, modelFiles, functions }),
        createDeployedRoles(cloud, next),
      ]);
      const environment = await routerEnvironment(cluster, cloud, next, names);
      await openSuggestions({ ...given, searchGateway, outdir, environment });
      await gateway.replace({ configuration: next, environment, keys, outdir });
    }
    used = next;
    return { configuration: next, keys: keys.named };
  };
}

/** Returns whether the servers that run, their models and the recommendation service fit the changed configuration. */
function isReloadable(started: Configuration, next: Configuration): boolean {
  const parts = ({ project, recommendation, searchGateway }: Configuration) => {
    const { vpc, opensearch, models } = searchGateway ?? {};
    return { project, recommendation, vpc, opensearch, models };
  };
  const models = ({ searchGateway }: Configuration) => (searchGateway ? referencedModels(searchGateway) : []);
  const running = models(started);
  return isDeepStrictEqual(parts(next), parts(started)) && models(next).every((model) => running.includes(model));
}

/** The parts that are built into the functions; rules and synonyms are documents beside them. */
function servedParts({ api, searchGateway }: Configuration) {
  const { rules, synonyms: _, ...served } = searchGateway ?? {};
  return { api, served, hasRules: rules !== undefined };
}
