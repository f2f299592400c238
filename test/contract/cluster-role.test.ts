// The roles of `relevance cluster-role` before OpenSearch's own security plugin.
import * as assert from "uvu/assert";
import { type ClusterRole, gatewayRole, roleOf } from "../../lib/search/access/cluster-role.ts";
import type { Cluster } from "../../lib/search/opensearch/cluster.ts";
import { probeCluster } from "../../lib/search/opensearch/cluster-probe.ts";
import { patient } from "../../packages/processes/wait.ts";
import { CLOUD_ENV, sharedCloud } from "../fixtures/cloud.ts";
import { CLUSTER_CALLS, type ClusterCall, OTHER_CALLS } from "../fixtures/cluster-calls.ts";
import { formatPairs, OPENSEARCH_ENV, ROOT } from "../fixtures/env.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { mapRoles, ROLES_ENV } from "../fixtures/role-proxy.ts";
import { asBackendRole, startSecuredOpenSearch } from "../fixtures/secured-opensearch.ts";
import { runFile } from "../runner/run-file.ts";
import { suite } from "../suite.ts";

const test = suite("the cluster's roles under its security plugin");

/** Files that search, write, use commands and build suggestions. Others pass so, too, but for calls of `raw_backend: all`. */
const FILES = ["index-commands", "page-stages", "suggest"];

/** What the role has although the plugin does not demand it: a scroll would stay open, and the action has an index's part. */
const NOT_DEMANDED = /_by_query.*scroll\/clear|_reindex.*scroll\/clear|_update\/1: .*\/bulk$|: cluster:monitor\/main$/;

/** Returns the role of one call. */
const roleFor = ([method, path]: ClusterCall) => {
  const pattern = path.split("?")[0]?.replaceAll(/\/(record(-\w+)?|\d+|abc:1|text)(?=\/|$)/g, "/{name}");
  return roleOf([[method, pattern ?? ""]], ["record*"]);
};

/** Returns the role without each of its permissions. */
function narrower({ cluster_permissions, index_permissions }: ClusterRole) {
  const others = (all: readonly string[], left: string) => all.filter((one) => one !== left);
  const ofIndexes = new Set(index_permissions.flatMap(({ allowed_actions }) => allowed_actions));
  return [
    ...[...ofIndexes].map((left) => ({
      left,
      role: {
        cluster_permissions,
        index_permissions: index_permissions
          .map((one) => ({ ...one, allowed_actions: others(one.allowed_actions, left) }))
          .filter(({ allowed_actions }) => allowed_actions.length > 0),
      },
    })),
    ...cluster_permissions.map((left) => ({
      left,
      role: { cluster_permissions: others(cluster_permissions, left), index_permissions },
    })),
  ];
}

const cloud = await sharedCloud();
const tested = await clusters();
for (const { version } of tested) {
  const { url, stop } = await startSecuredOpenSearch(version);
  test.after(stop);
  const answers: Record<string, string> = {};
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name) => answers[name] ?? whole);

  /** Returns whether the plugin refuses a call, or a part of it. A scroll belongs to the user that opened it. */
  const isRefused = async (arn: string, [method, path, body]: ClusterCall) => {
    const headers = { ...asBackendRole(arn), "x-proxy-user": "one", "content-type": "application/json" };
    const text = typeof body === "string" ? body : body && JSON.stringify(body);
    const response = await fetch(`${url}${fill(path)}`, { method, headers, ...(text && { body: fill(text) }) });
    const answer = await response.text();
    if (response.ok && answer.startsWith("{")) Object.assign(answers, JSON.parse(answer));
    return response.status === 403 || answer.includes("no permissions for");
  };

  test(`${version}: each call needs the actions that the table has for it, and no other`, async () => {
    const plan = CLUSTER_CALLS.map((call) => ({ call, role: roleFor(call), less: narrower(roleFor(call)) }));
    const roles = [...new Set(plan.flatMap(({ role, less }) => [role, ...less.map((one) => one.role)]).map(jsonOf))];
    const arns = await mapRoles(
      url,
      roles.map((one) => JSON.parse(one)),
    );
    const arnOf = (role: ClusterRole) => arns[roles.indexOf(jsonOf(role))] ?? "";
    const demanded = new Set<string>();
    for (const { call, role, less } of plan) {
      for (const one of less) if (await isRefused(arnOf(one.role), call)) demanded.add(`${jsonOf(role)} ${one.left}`);
      assert.not(await isRefused(arnOf(role), call), call.slice(0, 2).join(" "));
    }
    const needless = plan.flatMap(({ call: [method, path], role, less }) =>
      less
        .filter(({ left }) => !demanded.has(`${jsonOf(role)} ${left}`))
        .map(({ left }) => `${method} ${path}: ${left}`),
    );
    assert.equal(
      needless.filter((one) => !NOT_DEMANDED.test(one)),
      [],
    );
  });

  test(`${version}: a gateway may send all calls but those of suggestions, and no others`, async () => {
    const [arn = ""] = await mapRoles(url, [gatewayRole(undefined)]);
    const refused: string[] = [];
    for (const call of [...CLUSTER_CALLS, ...OTHER_CALLS]) if (await isRefused(arn, call)) refused.push(call[1]);
    assert.equal(refused, ["/record/_forcemerge", ...OTHER_CALLS.map(([, path]) => path)]);
  });

  test(`${version}: the probe of a deployment sees a role that the cluster does not know, and names one that it does`, async () => {
    const probeAs = (arn: string) => {
      const send = async ({ method, path }: { method: string; path: string }) => {
        const answer = await fetch(`${url}${path}`, { method, headers: asBackendRole(arn) });
        return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
      };
      return probeCluster({ send } as unknown as Cluster);
    };
    const [known = ""] = await mapRoles(url, [roleOf([], ["products"])]);
    assert.match(JSON.stringify(await probeAs(known)), /"name":"as role-\d+-\d+.*"works"/);
    const { state, error } = await probeAs("arn:aws:iam::123456789012:role/unknown");
    assert.equal([state, error?.name], ["failed", "AccessDeniedException"]);
  });

  // The versions differ in what a call demands, not in what is called.
  for (const file of version === tested[0]?.version ? FILES : [])
    test(`${version}: what ${file}.test.ts starts needs no more than its role`, async () => {
      const { code, output } = await runFile(`test/integration/${file}.test.ts`, {
        root: ROOT,
        env: { [OPENSEARCH_ENV]: formatPairs({ [version]: url }), [ROLES_ENV]: "1", [CLOUD_ENV]: cloud.endpoint },
        timeLimitMs: patient(120_000),
        signal: new AbortController().signal,
        background: false,
      });
      assert.is(code, 0, output);
    });
}

function jsonOf(role: ClusterRole): string {
  return JSON.stringify(role);
}

test.run();
