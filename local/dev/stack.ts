import { rm } from "node:fs/promises";
import { join } from "node:path";
import { routes as routerRoutes } from "../../functions/api-router/routes.ts";
import { routes as eventRoutes } from "../../functions/search-events/routes.ts";
import type { Configuration, Recommendation, SearchGateway } from "../../lib/config/configuration.ts";
import { loadConfiguration } from "../../lib/config/load.ts";
import { namesOf } from "../../lib/core/naming/names.ts";
import { loadBundle } from "../api/load-bundle.ts";
import { preflights } from "../api/service.ts";
import { startApi } from "../api/start.ts";
import { ACCOUNT_ID, REGION } from "../cloud/account.ts";
import { type Cloud, startCloud } from "../cloud/front.ts";
import type { AfterCall } from "../cloud/router.ts";
import { modelControlOverHttp } from "../embeddings/control.ts";
import type { ModelStandIns } from "../embeddings/stand-ins.ts";
import { installStaticModel } from "../embeddings/static-model-install.ts";
import { LocalError } from "../process/error.ts";
import { requireFreePort } from "../process/ports.ts";
import { scratchFolder } from "../process/scratch.ts";
import { localKeys } from "./api-key.ts";
import { buildBundles, bundleFile } from "./bundles.ts";
import { createBucket, localClients } from "./clients.ts";
import { startDevConsole } from "./console.ts";
import { ensureDemoIndex } from "./demo-index.ts";
import { createDeployedRoles, variablesOfRole } from "./deployed-roles.ts";
import { gatewayClient } from "./gateway-client.ts";
import { refuseNativeVectors } from "./knn-guard.ts";
import { hideMetricLines } from "./metric-lines.ts";
import { type LocalModel, localModels, openModels } from "./models.ts";
import { openCluster } from "./opensearch.ts";
import { type DevOptions, PORTS, type PortName, PURPOSES } from "./options.ts";
import {
  type LocalRecommendation,
  openPersonalize,
  RECOMMENDATION_FOLDER,
  resetRecommendation,
  startRecommendation,
} from "./recommendation.ts";
import { openRequestLog } from "./request-log.ts";
import { routerEnvironment } from "./router-environment.ts";
import type { Scope } from "./scope.ts";
import { openSearchEvents, withEvents } from "./search-events.ts";
import { SHOP_KEY, startShop } from "./shop.ts";
import type { DevState } from "./state-file.ts";
import { openSuggestions } from "./suggestions.ts";

/** The running stack. */
export interface Stack {
  state: DevState;
  searchGateway: SearchGateway;
  /** Undefined if the configuration has no recommendation service. */
  recommendation: (LocalRecommendation & Pick<Recommendation, "filters">) | undefined;
  /** The models in use, with what computes their embeddings. */
  models: readonly LocalModel[];
  /** Dimension of each dense model, as served. */
  dimensions: ModelStandIns["dimensions"];
  /** Resolves with the reason if a server exits by itself. */
  died: Promise<LocalError>;
}

type Say = (line: string) => void;

/**
 * Starts servers, stand-ins, bundles and API, and fills the demo index. Everything that starts is added to the scope,
 * which the caller must close even if this throws. Throws LocalError, MissingTool or ConfigurationError, each with what
 * to do.
 */
export async function startStack(options: DevOptions, scope: Scope, say: Say): Promise<Stack> {
  const configuration = loadConfiguration(options.conf);
  const { searchGateway } = configuration;
  if (!searchGateway)
    throw new LocalError(`${options.conf} has no search gateway: add vpc and opensearch to project.yaml`);
  const port = (name: PortName) => (options.port === undefined ? undefined : options.port + PORTS.indexOf(name));
  await checkPorts(port);

  const names = namesOf({ project: configuration.project.project_name, account: ACCOUNT_ID, region: REGION });
  const { installDir } = options;
  const isSmallUsed = localModels(searchGateway, options.embeddingUrls, "small").some(
    ({ by }) => by !== "words" && "small" in by,
  );
  const models = await openModels({
    urls: options.embeddingUrls,
    ...(isSmallUsed &&
      !options.standIns && { install: () => installStaticModel({ dir: installDir, onProgress: say }), say }),
    names,
    dir: options.dir,
    models: searchGateway.models,
  });
  const outdir = join(options.dir, "dev", "functions");
  const folder = join(options.dir, RECOMMENDATION_FOLDER);
  if (options.resetRecommendation) resetRecommendation(folder);
  scope.add(hideMetricLines());

  const endpoint = Promise.withResolvers<string>();
  let afterCall: AfterCall = async () => undefined;
  const starting = startCloud({
    dir: installDir,
    workDir: cloudFolder(options.dir, scope),
    ...optional("port", port("aws")),
    standIns: [models.standIns, ...(configuration.recommendation ? [openPersonalize(folder, endpoint.promise)] : [])],
    controls: [modelControlOverHttp(models.standIns.control)],
    afterCall: (call) => afterCall(call),
    onProgress: say,
  }).then(async (opened) => {
    stopWith(scope, opened);
    endpoint.resolve(opened.endpoint);
    await Promise.all([
      createBucket(localClients(opened).s3, names.bucket(), opened.region),
      createDeployedRoles(opened, configuration),
    ]);
    return opened;
  });
  const building = buildBundles({
    outdir,
    conf: options.conf,
    modelFiles: models.files,
  });
  const keys = localKeys(options.dir, configuration.api.keys);
  const load = oneAtATime(loadBundle);
  // In parallel with OpenSearch, which takes longer.
  const recommending = Promise.all([starting, building]).then(async ([cloud]) => {
    const { recommendation } = configuration;
    if (!recommendation) return undefined;
    useCloud(cloud);
    const started = await startRecommendation({
      ...{ cloud, clients: localClients(cloud), names, configuration, recommendation, outdir, folder, scope, say },
      ...{ keys, usage: usagePlan(configuration), ...optional("port", port("recommendation")) },
      loadBundle: async ({ env, ...bundle }) =>
        load({
          ...bundle,
          env: { ...cloud.env, ...(await variablesOfRole(cloud, names, "recommendation-api")), ...env },
        }),
      onCall: (run) => {
        afterCall = run;
      },
    });
    return { ...started, filters: recommendation.filters };
  });
  // Awaited below; a failure before that must not end the process.
  recommending.catch(() => undefined);
  const [cluster, cloud] = await Promise.all([
    openCluster({
      dir: options.dir,
      installDir: options.installDir,
      url: options.opensearchUrl,
      version: options.opensearchVersion,
      port: port("opensearch"),
      say,
    }).then((opened) => stopWith(scope, opened)),
    starting,
    building,
  ]);

  useCloud(cloud);
  const clients = localClients(cloud);
  const requestLog = openRequestLog("search", { cloud, clients, names, configuration, outdir, say, scope });

  const environment = await routerEnvironment(cluster, cloud, configuration, names);
  const bundle = await load({
    file: bundleFile(outdir, "api-router"),
    env: {
      ...cloud.env,
      ...(await variablesOfRole(cloud, names, "api-router")),
      ...environment,
      API_KEYS: keys.environment,
    },
    onRequestLog: requestLog.add,
  });
  scope.add(bundle.release);
  const events = await openSearchEvents({ cloud, clients, names, outdir, keyEnvironment: keys.environment, load });
  const router = cluster.own ? refuseNativeVectors(bundle.handler) : bundle.handler;
  const routes = [...routerRoutes, ...eventRoutes];
  const api = await startApi({
    services: [
      {
        routes,
        handler: withEvents(router, events),
        keys: keys.values,
        usage: usagePlan(configuration),
        options: preflights(routes, configuration.api.cors),
        origins: configuration.api.cors?.allow_origins,
      },
    ],
    ...optional("port", port("api")),
  });
  scope.add(() => api.stop());

  const filling = new AbortController();
  scope.add(() => filling.abort());
  const filled = options.demo
    ? ensureDemoIndex({
        gateway: gatewayClient(api.url, keys.own),
        entries: searchGateway.hybridQueries,
        dimensions: models.standIns.dimensions,
        models: models.fingerprint,
        rebuild: options.rebuildDemo,
        signal: filling.signal,
        say,
      })
    : undefined;
  const buildSuggestions = await openSuggestions({ cloud, clients, names, searchGateway, outdir, environment, say });
  const [recommendation] = await Promise.all([recommending, filled, requestLog.opened]);
  if (options.demo) await buildSuggestions();
  const used = localModels(searchGateway, options.embeddingUrls, models.small);
  const page = await startDevConsole({
    ...{ options, names, configuration, cloud, models: used },
    gateway: { url: api.url, key: keys.own },
    recommendation: recommendation && { ...recommendation, key: keys.own },
    ...optional("port", port("console")),
  });
  scope.add(() => page.stop());
  const shop = await startShop({
    ...{ demo: options.demo, key: keys.named[SHOP_KEY] },
    ...{ search: api.url, recommendation: recommendation?.url, ...optional("port", port("shop")) },
  });
  if (shop) stopWith(scope, shop);
  return {
    state: {
      search: { url: api.url, api_key: keys.own },
      ...(recommendation && { recommendation: { url: recommendation.url, api_key: keys.own } }),
      ...(configuration.api.keys && { keys: keys.named }),
      console: { url: page.url },
      ...(shop && { shop: { url: shop.url } }),
      opensearch: { url: cluster.url, version: cluster.version },
      aws: { endpoint: cloud.endpoint },
      pid: process.pid,
    },
    searchGateway,
    recommendation,
    models: used,
    dimensions: models.standIns.dimensions,
    died: Promise.race([cluster.died, cloud.died]),
  };
}

async function checkPorts(port: (name: PortName) => number | undefined): Promise<void> {
  for (const [name, purpose] of Object.entries(PURPOSES) as [PortName, string][]) {
    const number = port(name);
    if (number !== undefined) await requireFreePort(number, purpose);
  }
}

function stopWith<T extends { stop(): Promise<void> }>(scope: Scope, opened: T): T {
  scope.add(() => opened.stop());
  return opened;
}

/**
 * Points this process to the local cloud permanently, because the SDK reads endpoint and credentials on first use. The
 * user's own AWS settings no longer apply here.
 */
function useCloud(cloud: Cloud): void {
  Object.assign(process.env, cloud.env);
}

/** Serializes calls, because each call replaces the environment of this process while it runs. */
function oneAtATime<Input, Output>(work: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    const result = last.then(() => work(input));
    last = result.catch(() => undefined);
    return result;
  };
}

/** Creates the local cloud's folder and removes it at the end, when moto loses its state and the files are useless. */
function cloudFolder(dir: string, scope: Scope): string {
  const folder = scratchFolder(join(dir, "dev"), "cloud");
  scope.add(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns an object with the property, or without it if the value is undefined. */
function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

function usagePlan({ api: { throttle } }: Configuration) {
  return {
    ...optional("rateLimit", throttle.rate_limit),
    ...optional("burstLimit", throttle.burst_limit),
    ...optional("dailyQuota", throttle.daily_quota),
  };
}
