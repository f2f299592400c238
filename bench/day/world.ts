import { join } from "node:path";
import { buildFunctions } from "../../build/functions.ts";
import { generateModelFiles } from "../../local/embeddings/model-files.ts";
import { createModelStandIns, type ModelStandIns } from "../../local/embeddings/stand-ins.ts";
import { type OpenSearchServer, startOpenSearch } from "../../local/opensearch/start.ts";
import { freePort } from "../../local/process/ports.ts";
import { CLOUD_ENV, ownCloud } from "../../test/fixtures/cloud.ts";
import { ROOT } from "../../test/fixtures/env.ts";
import { API_KEY, HYBRID_MAPPING, hybridIndex, SETTINGS } from "../../test/fixtures/gateway.ts";
import { serveStandIns } from "../../test/fixtures/stand-in-server.ts";
import { type OpenShop, openTrainedShop } from "../../test/functions/recommendation-api/shop.ts";
import { startWorld, type World } from "../../test/functions/recommendation-api/world.ts";
import { direct, FOLDER } from "../gateway-setup.ts";
import { type Serving, startServing } from "./serving.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

export const PLAIN_INDEX = "day-plain";
export const HYBRID_INDEX = "day-hybrid";

/** Both services in processes of their own, and everything behind them with a proxy for each connection. */
export interface DayWorld {
  gateway: Serving;
  recommendation: Serving;
  key: string;
  /** Proxies before the cluster, the models and the AWS endpoint. */
  proxies: Readonly<Record<"cluster" | "models" | "aws", TcpProxy>>;
  models: ModelStandIns;
  world: World;
  shop: OpenShop;
  cluster: Cluster;
  /** Process id of moto. */
  motoPid: number;
  stop(): Promise<void>;
}

/** A cluster that can be killed. */
export interface Cluster {
  url: string;
  signal(signal: NodeJS.Signals): void;
  /** Kills the server with SIGKILL, which loses nothing that was acknowledged. */
  kill(): Promise<void>;
  /** Starts a killed server again on its data and port. */
  start(): Promise<void>;
}

/** Starts everything: about a minute. */
export async function startDay(): Promise<DayWorld> {
  const cloud = await ownCloud();
  process.env[CLOUD_ENV] = cloud.endpoint;
  const world = await startWorld();
  const shop = await openTrainedShop(world);
  await world.putPopularItems(shop.data.items.slice(0, 50).map(({ itemId }) => itemId));

  const byEndpoint = { dense: "dense_large_en_v1_5", sparse: "sparse_v3" } as const;
  const models = await createModelStandIns({ modelOfEndpoint: (name) => byEndpoint[name as keyof typeof byEndpoint] });
  const modelServer = await serveStandIns([models]);
  const cluster = await startKillable();
  const proxies = {
    cluster: await startTcpProxy(cluster.url),
    models: await startTcpProxy(modelServer.url),
    aws: await startTcpProxy(world.front.url),
  };
  const plain = { settings: { number_of_replicas: 0 }, mappings: { properties: { text: { type: "text" } } } };
  await direct(cluster.url, "PUT", `/${PLAIN_INDEX}`, JSON.stringify(plain));
  await direct(cluster.url, "PUT", `/${HYBRID_INDEX}`, JSON.stringify(HYBRID_MAPPING));

  const awsEnv = {
    ...cloud.env,
    AWS_ENDPOINT_URL: proxies.aws.url,
    AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME: proxies.models.url,
  };
  const gateway = await startServing(
    {
      service: "api-router",
      file: join(await buildGateway(), "index.mjs"),
      env: { OPENSEARCH_NODE: proxies.cluster.url, OPENSEARCH_AUTH: "none", AWS_REGION: cloud.region },
      key: API_KEY,
    },
    awsEnv,
  );
  const recommendation = await startServing({ service: "recommendation-api", ...world.bundle, key: API_KEY }, awsEnv);
  return {
    ...{ gateway, recommendation, key: API_KEY, proxies, models, world, shop, cluster, motoPid: cloud.pid },
    async stop() {
      await Promise.all([gateway.stop(), recommendation.stop()]);
      await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
      await Promise.all([world.stop(), modelServer.stop(), cluster.kill()]);
      await cloud.stop();
    },
  };
}

async function buildGateway(): Promise<string> {
  const settings = { ...SETTINGS, indexes: [hybridIndex(HYBRID_INDEX)] };
  const built = await buildFunctions({
    outdir: join(FOLDER, "day"),
    functions: ["api-router"],
    files: { "api-router": { "config.json": JSON.stringify(settings) } },
  });
  const dir = built["api-router"]?.dir ?? "";
  await generateModelFiles(dir);
  return dir;
}

async function startKillable(): Promise<Cluster> {
  const port = await freePort();
  const start = (clean: boolean) =>
    startOpenSearch({
      version: "2.19.6",
      dir: join(ROOT, ".local/opensearch-2.19.6"),
      nodeDir: join(FOLDER, "day-node"),
      port,
      clean,
    });
  let server: OpenSearchServer = await start(true);
  return {
    url: server.url,
    signal: (signal) => process.kill(-server.pid, signal),
    async kill() {
      process.kill(-server.pid, "SIGKILL");
      await server.died;
    },
    async start() {
      server = await start(false);
    },
  };
}
