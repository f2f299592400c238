import * as assert from "uvu/assert";
import type { Endpoint } from "../../../../lib/platform/http/access.ts";
import { nativeCalls } from "../../../../lib/search/access/calls.ts";
import {
  actionsOf,
  type ClusterRole,
  gatewayRole,
  isOfCluster,
  suggestionsRole,
} from "../../../../lib/search/access/cluster-role.ts";
import { suite } from "../../../suite.ts";

const test = suite("the cluster's role");

const matches = (pattern: string, action: string) =>
  pattern.endsWith("*") ? action.startsWith(pattern.slice(0, -1)) : pattern === action;

/** Returns whether a role allows an action: as the security plugin does, by its name. */
const allows = ({ cluster_permissions, index_permissions }: ClusterRole, action: string) =>
  (isOfCluster(action) ? cluster_permissions : index_permissions.flatMap((one) => one.allowed_actions)).some((one) =>
    matches(one, action),
  );

test("knows each call that keys may send", () => {
  for (const audience of ["application", "administration"] as const)
    for (const { methods, segments } of nativeCalls(audience))
      for (const method of methods) assert.ok(actionsOf([method, `/${segments.join("/")}`]).length > 0);
});

const key = (endpoints: Endpoint[], indexes?: string[]) => ({ endpoints, ...(indexes && { indexes }) });

test("a gateway that only searches may write nothing, and only reads the indexes of its keys", () => {
  const role = gatewayRole([key(["search"], ["products", "news-*"])], [".suggestions"]);
  const patterns = role.index_permissions.flatMap((one) => one.index_patterns);
  assert.equal(patterns, [".suggestions", "news-*", "products"]);
  assert.ok(allows(role, "indices:data/read/search"));
  for (const one of [
    "indices:data/write/index",
    "indices:admin/create",
    "indices:admin/delete",
    "cluster:admin/settings/update",
  ])
    assert.not(allows(role, one), one);
});

test("a gateway without keys is no administrator", () => {
  const role = gatewayRole(undefined);
  for (const one of ["cluster:admin/settings/update", "cluster:admin/snapshot/create", "indices:admin/close"])
    assert.not(allows(role, one), one);
  assert.not(
    [...role.cluster_permissions, ...role.index_permissions.flatMap((one) => one.allowed_actions)].some((one) =>
      /^(\*|all_access|indices_all|cluster_all|indices:\*)$/.test(one),
    ),
  );
});

test("suggestions may write their own indexes and read those that they are built from", () => {
  const role = suggestionsRole(["products", ".suggestions"]);
  assert.equal(role.index_permissions[0]?.index_patterns, [".suggestions", "products"]);
  assert.ok(allows(role, "indices:admin/forcemerge"));
  assert.not(allows(role, "indices:admin/settings/update"));
});

test.run();
