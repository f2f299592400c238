import { type Probe, probed } from "../../platform/http/probe.ts";
import { isObject, parseJson } from "../../platform/json/values.ts";
import type { Cluster } from "./cluster.ts";

const PROBE_MS = 10_000;

/** Returns whether the cluster answers a function, by the names of the roles that it has there. */
export async function probeCluster(cluster: Cluster): Promise<Probe> {
  const name = await rolesIn(cluster).catch(() => "");
  return probed({ kind: "cluster", name }, async () => {
    const { status, body } = await cluster.send({ method: "GET", path: "/" }, PROBE_MS);
    if (status >= 300)
      throw Object.assign(new Error(body.toString("utf8").slice(0, 300)), { name: `status ${status}` });
  });
}

/** Only clusters with fine-grained access control answer this; anybody whom they know may send it. */
async function rolesIn(cluster: Cluster): Promise<string> {
  const { status, body } = await cluster.send({ method: "GET", path: "/_plugins/_security/authinfo" }, PROBE_MS);
  const answer = status === 200 ? parseJson(body) : undefined;
  return isObject(answer) && Array.isArray(answer.roles) ? `as ${answer.roles.join(", ")}` : "";
}
