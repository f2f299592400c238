import { join } from "node:path";
import type { Served } from "@relevance/lab/server/loopback.ts";
import { type Names, namesOf } from "@relevance/lib/platform/naming/names.ts";
import type { Configuration, Recommendation, SearchGateway } from "@relevance/lib/settings/configuration.ts";
import { loadConfiguration } from "@relevance/lib/settings/load.ts";
import { loadBundle } from "@relevance/local-aws/api/load-bundle.ts";
import type { RunningApi } from "@relevance/local-aws/api/start.ts";
import { ACCOUNT_ID, REGION } from "@relevance/local-aws/cloud/account.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";
import { installModels } from "@relevance/local-models/neural/install.ts";
import type { ModelStandIns } from "@relevance/local-models/stand-ins.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { type LocalKeys, localKeys } from "./api-key.ts";
import { buildBundles } from "./bundles.ts";
import { localClients } from "./clients.ts";
import { type DevCloud, openCloud } from "./cloud.ts";
import { startDevConsole } from "./console.ts";
import { ensureDemoIndex } from "./demo-index.ts";
import { variablesOfRole } from "./deployed-roles.ts";
import { startGateway, usagePlan } from "./gateway.ts";
import { gatewayClient } from "./gateway-client.ts";
import { hideMetricLines } from "./metric-lines.ts";
import { type DevModels, type LocalModel, localModels, openModels } from "./models.ts";
import { type DevCluster, openCluster } from "./opensearch.ts";
import type { DevOptions, PortName } from "./options.ts";
import { stackPorts } from "./ports.ts";
import {
  type LocalRecommendation,
  RECOMMENDATION_FOLDER,
  resetRecommendation,
  startRecommendation,
} from "./recommendation.ts";
import { type Loaded, reloader } from "./reload.ts";
import { openRequestLog } from "./request-log.ts";
import { routerEnvironment } from "./router-environment.ts";
import type { Scope } from "./scope.ts";
import { SHOP_KEY, startShop } from "./shop.ts";
import type { Addresses } from "./state-file.ts";
import { buildSuggestions, openSuggestions } from "./suggestions.ts";

/** The running stack. */
export interface Stack {
  state: Addresses;
  searchGateway: SearchGateway;
  /** Undefined if the configuration has no recommendation service. */
  recommendation: (LocalRecommendation & Pick<Recommendation, "filters">) | undefined;
  /** The models in use, with the local programs that compute their embeddings. */
  models: readonly LocalModel[];
  /** Dimension of each dense model, as served. */
  dimensions: ModelStandIns["dimensions"];
  /** Builds the suggestions of all indexes. */
  buildSuggestions(): Promise<void>;
  /** Makes the gateway use the configuration as it is now. Throws if it cannot, and leaves it as it was. */
  reload(): Promise<Loaded>;
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
  const ports = await stackPorts(options);
  return new Start({ options, scope, say, configuration, searchGateway, ports }).run();
}

/** Inputs for starting a stack. */
interface StackInput {
  options: DevOptions;
  scope: Scope;
  say: Say;
  configuration: Configuration;
  searchGateway: SearchGateway;
  ports: Readonly<Record<PortName, number>>;
}

/** A stack that is being started. */
class Start {
  readonly #given: StackInput;
  readonly #names: Names;
  /** Folder of the built functions. */
  readonly #outdir: string;
  /** Folder with the data of the recommendation service. */
  readonly #folder: string;
  readonly #keys: LocalKeys;
  readonly #load = oneAtATime(loadBundle);

  constructor(given: StackInput) {
    const { options, configuration } = given;
    this.#given = given;
    this.#names = namesOf({ project: configuration.project.project_name, account: ACCOUNT_ID, region: REGION });
    this.#outdir = join(options.dir, "dev", "functions");
    this.#folder = join(options.dir, RECOMMENDATION_FOLDER);
    this.#keys = localKeys(options.dir, configuration.api.keys);
  }

  /** Starts all parts, each as soon as its dependencies have started. */
  async run(): Promise<Stack> {
    const { options, scope, configuration, searchGateway } = this.#given;
    const models = await this.#openModels();
    scope.add(models.stop);
    if (options.resetRecommendation) resetRecommendation(this.#folder);
    scope.add(hideMetricLines());

    const opening = this.#openCloud(models);
    const building = buildBundles({ outdir: this.#outdir, conf: options.conf, modelFiles: models.files });
    // In parallel with OpenSearch, which takes longer.
    const recommending = Promise.all([opening, building]).then(([cloud]) => this.#startRecommendation(cloud));
    // Awaited below; a failure before that must not end the process.
    recommending.catch(() => undefined);
    const [cluster, cloud] = await Promise.all([this.#openCluster(), opening, building]);

    useCloud(cloud);
    const parts = this.#partsOf(cloud);
    const requestLog = openRequestLog("search", parts);
    const environment = await routerEnvironment(cluster, cloud, configuration, this.#names);
    const gateway = await startGateway({
      ...{ ...parts, cluster, environment, onRequestLog: requestLog.add, keys: this.#keys, load: this.#load },
      port: this.#given.ports.api,
    });
    const filled = options.demo ? this.#fillDemoIndex(gateway, models) : undefined;
    await openSuggestions({ ...parts, searchGateway, environment });
    const [recommendation] = await Promise.all([recommending, filled, requestLog.opened]);
    if (options.demo) await buildSuggestions(parts);

    const used = localModels(searchGateway, options.embeddingUrls, models.areReal);
    let entries = searchGateway.hybridQueries;
    const reload = reloader({ ...parts, options, gateway, cluster, modelFiles: models.files });
    const page = await this.#startConsole(cloud, used, gateway, recommendation, () => entries);
    const shop = await this.#startShop(gateway, recommendation);
    return {
      state: {
        search: { url: gateway.url, api_key: this.#keys.own },
        ...(recommendation && { recommendation: { url: recommendation.url, api_key: this.#keys.own } }),
        ...(configuration.api.keys && { keys: this.#keys.named }),
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
      buildSuggestions: () => buildSuggestions(parts),
      reload: async () => {
        const loaded = await reload();
        entries = loaded.configuration.searchGateway?.hybridQueries ?? [];
        return loaded;
      },
      died: Promise.race([cluster.died, cloud.died]),
    };
  }

  #openModels(): Promise<DevModels> {
    const { options, say, searchGateway } = this.#given;
    const { dir, installDir, embeddingUrls: urls } = options;
    const isRealUsed = localModels(searchGateway, urls, true).some(({ by }) => by !== "words" && "small" in by);
    return openModels({
      urls,
      ...(isRealUsed &&
        !options.standIns && { install: () => installModels({ dir: installDir, onProgress: say }), say }),
      names: this.#names,
      dir,
      models: searchGateway.models,
    });
  }

  #openCloud(models: DevModels): Promise<DevCloud> {
    const { options, configuration, scope, say } = this.#given;
    const [names, folder] = [this.#names, this.#folder];
    return openCloud({ options, configuration, names, models, folder, scope, say, port: this.#given.ports.aws });
  }

  async #openCluster(): Promise<DevCluster> {
    const { options, scope, say, ports } = this.#given;
    const { dir, installDir, opensearchUrl: url, opensearchVersion: version } = options;
    return stopWith(scope, await openCluster({ dir, installDir, url, version, port: ports.opensearch, say }));
  }

  /** Returns the inputs that all parts with the AWS endpoint share. */
  #partsOf(cloud: Cloud) {
    const { configuration, scope, say } = this.#given;
    const [names, outdir] = [this.#names, this.#outdir];
    return { cloud, clients: localClients(cloud), names, configuration, outdir, scope, say };
  }

  /** Starts the recommendation service, if the configuration has one. */
  async #startRecommendation(cloud: DevCloud): Promise<Stack["recommendation"]> {
    const { configuration } = this.#given;
    const { recommendation } = configuration;
    if (!recommendation) return undefined;
    useCloud(cloud);
    const started = await startRecommendation({
      ...this.#partsOf(cloud),
      ...{ recommendation, folder: this.#folder, keys: this.#keys, usage: usagePlan(configuration.api.throttle) },
      port: this.#given.ports.recommendation,
      loadBundle: async ({ env, ...bundle }) =>
        this.#load({
          ...bundle,
          env: { ...cloud.env, ...(await variablesOfRole(cloud, this.#names, "recommendation-api")), ...env },
        }),
      onCall: cloud.onCall,
    });
    return { ...started, filters: recommendation.filters };
  }

  #fillDemoIndex({ url }: RunningApi, { standIns, fingerprint }: DevModels): Promise<unknown> {
    const { options, scope, say, searchGateway } = this.#given;
    const filling = new AbortController();
    scope.add(() => filling.abort());
    return ensureDemoIndex({
      gateway: gatewayClient(url, this.#keys.own),
      entries: searchGateway.hybridQueries,
      dimensions: standIns.dimensions,
      models: fingerprint,
      rebuild: options.rebuildDemo,
      signal: filling.signal,
      say,
    });
  }

  async #startConsole(
    cloud: Cloud,
    models: readonly LocalModel[],
    { url }: RunningApi,
    recommendation: Stack["recommendation"],
    entries: () => SearchGateway["hybridQueries"],
  ): Promise<Served> {
    const { options, scope, configuration } = this.#given;
    const key = this.#keys.own;
    const page = await startDevConsole({
      ...{ options, names: this.#names, configuration, entries, cloud, models },
      gateway: { url, key },
      recommendation: recommendation && { ...recommendation, key },
      port: this.#given.ports.console,
    });
    return stopWith(scope, page);
  }

  async #startShop({ url }: RunningApi, recommendation: Stack["recommendation"]): Promise<Served | undefined> {
    const { options, scope } = this.#given;
    const shop = await startShop({
      ...{ demo: options.demo, key: this.#keys.named[SHOP_KEY] },
      ...{ search: url, recommendation: recommendation?.url, port: this.#given.ports.shop },
    });
    return shop && stopWith(scope, shop);
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
