import { matcher } from "../../platform/wildcard.ts";
import { type NamingCall, systemRefusal } from "../access/system.ts";

/** Returns why a call is forbidden, as the end of a sentence; undefined if it is allowed. */
export type Deny = (call: NamingCall) => string | undefined;

const NOT_ALLOWED = "is not allowed here";

/**
 * Compiles rules of the form `METHOD pattern`, where `*` stands for any method or any characters, or returns the
 * recommended ones. Patterns match the path only; the recommended rules also read the names in bodies.
 */
export function denyRules(rules: readonly string[] | "recommended"): Deny {
  const compiled = rules === "recommended" ? RECOMMENDED : rules.map(patternRule);
  return (call) => {
    if (compiled.some((rule) => rule(call))) return NOT_ALLOWED;
    const found = rules === "recommended" ? systemRefusal(call, true) : undefined;
    return found && `${NOT_ALLOWED}: ${found.reason}`;
  };
}

/** Compiles a rule `METHOD pattern`, where `*` stands for any method or any characters of the path. */
export function patternRule(rule: string): (call: Pick<NamingCall, "method" | "segments">) => boolean {
  const [method = "*", pattern = "/"] = rule.split(" ");
  const matches = matcher(pattern);
  return (call) => (method === "*" || method === call.method) && matches(`/${call.segments.join("/")}`);
}

/** Returns whether an expression matches every index. An empty name does in some calls of the cluster. */
const isEverything = (expression: string) =>
  expression.split(",").some((part) => part === "_all" || /^[*<>-]*$/.test(part));

const WRITES_MANY = new Set(["_delete_by_query", "_update_by_query", "_close", "_block"]);

/**
 * Forbids calls about security, snapshots, secure settings, model connectors, notifications, remote storage and
 * replication, writes to all indexes at once, and reindexing from a remote cluster. SQL and PPL name indexes in languages
 * that the gateway does not read.
 */
const RECOMMENDED: ReadonlyArray<(call: NamingCall) => boolean> = [
  ...[
    "* /_plugins/_security*",
    "* /_opendistro/_security*",
    "* /_snapshot*",
    "* /_plugins/_sm*",
    "* /_nodes/reload_secure_settings",
    "* /_nodes/*/reload_secure_settings",
    "* /_plugins/_ml/connectors*",
    "* /_plugins/_notifications*",
    "* /_plugins/_alerting/destinations*",
    "* /_opendistro/_alerting/destinations*",
    "* /_remotestore*",
    "* /_plugins/_replication*",
    "* /_plugins/_sql*",
    "* /_opendistro/_sql*",
    "* /_plugins/_ppl*",
    "* /_opendistro/_ppl*",
  ].map(patternRule),
  ({ method, segments: [first = ""] }) => method === "DELETE" && isEverything(first),
  ({ method, segments: [first = "", second = ""] }) =>
    method === "DELETE" && first === "_data_stream" && isEverything(second),
  ({ method, segments: [first = "", second = ""] }) =>
    method !== "GET" && isEverything(first) && WRITES_MANY.has(second),
  ({ segments: [first], body }) => first === "_reindex" && reindexesRemotely(body),
];

function reindexesRemotely(body: Buffer): boolean {
  try {
    const { source } = JSON.parse(body.toString("utf8")) as { source?: { remote?: unknown } };
    return source?.remote !== undefined;
  } catch {
    // The cluster's parser accepts more than JSON.parse, such as comments, so any body that fails here is forbidden.
    return body.length > 0;
  }
}
