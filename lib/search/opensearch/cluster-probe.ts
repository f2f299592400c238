import { type Probe, probed } from "../../platform/http/probe.ts";
import { isObject, parseJson } from "../../platform/json/values.ts";
import type { Cluster } from "./cluster.ts";

const PROBE_MS = 10_000;

/** Returns whether the cluster lets a function in. `name` has the roles that it has there. */
export async function probeCluster(cluster: Cluster): Promise<Probe> {
  const name = await rolesIn(cluster).catch(() => "");
  const probe = await probed({ kind: "cluster", name }, async () => {
    const { status, body } = await cluster.send({ method: "GET", path: "/" }, PROBE_MS);
    if (status < 300) return;
    // As AWS names it, so that `deploy` waits for IAM.
    const name = status === 401 || status === 403 ? "AccessDeniedException" : `Status${status}`;
    throw Object.assign(new Error(body.toString("utf8").slice(0, 300)), { name });
  });
  // Without an answer nothing is known of the role: a domain may come up or be let in later.
  const isAnswer = /^(AccessDeniedException|Status)/.test(probe.error?.name ?? "");
  return probe.state === "failed" && !isAnswer ? { ...probe, state: "unreachable" } : probe;
}

/** Only clusters with fine-grained access control answer this; anybody whom they know may send it. */
async function rolesIn(cluster: Cluster): Promise<string> {
  const { status, body } = await cluster.send({ method: "GET", path: "/_plugins/_security/authinfo" }, PROBE_MS);
  const answer = status === 200 ? parseJson(body) : undefined;
  return isObject(answer) && Array.isArray(answer.roles) ? `as ${answer.roles.join(", ")}` : "";
}
