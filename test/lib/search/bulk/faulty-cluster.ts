import { actionsOf, type FaultProxy, startFaultProxy } from "../../../fixtures/fault-proxy.ts";
import { type Cluster, request, uniqueIndex } from "../../../fixtures/opensearch.ts";
import { bulkGateway, MAPPED_INDEX, mappedIndex } from "./support.ts";

/** Gateways in front of one cluster, each with its own index and a proxy that injects the faults it is told to. */
export function faultyCluster(cluster: Cluster, name: string) {
  const proxies: FaultProxy[] = [];
  const open = async (definition: object) => {
    const index = uniqueIndex(name);
    await request(cluster, "PUT", `/${index}`, definition);
    const proxy = await startFaultProxy(cluster.url);
    proxies.push(proxy);
    return { index, proxy };
  };
  return {
    async setUp(settings: Parameters<typeof bulkGateway>[1] = {}) {
      const { index, proxy } = await open({ settings: { index: { number_of_replicas: 0 } } });
      return { index, proxy, gateway: bulkGateway(proxy.url, settings) };
    },
    /** Embeds what is written. */
    async setUpMapped() {
      const { index, proxy } = await open(MAPPED_INDEX);
      return { index, proxy, gateway: bulkGateway(proxy.url, { indexes: [mappedIndex(index)] }) };
    },
    /** The stored document. */
    async source(index: string, id: string) {
      const { status, body } = await request<Record<string, unknown>>(cluster, "GET", `/${index}/_source/${id}`);
      return status === 404 ? undefined : body;
    },
    async stop() {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}

/** The operations of each bulk call that a proxy received. */
export const sent = (proxy: Pick<FaultProxy, "calls">) =>
  proxy.calls
    .filter(({ path }) => path.endsWith("/_bulk"))
    .map(({ body }) => actionsOf(body).map(({ name, id }) => `${name} ${id}`));

/** An operation that writes a document. */
export const put = (id: string, n: number) => ({ id, op: "index", doc: { n } });
