/** A call as the rules see it. */
export interface NativeCall {
  method: string;
  /** Decoded path segments. */
  segments: readonly string[];
  body: Buffer;
}

/** Whether a call is refused. */
export type Deny = (call: NativeCall) => boolean;

/**
 * Compiles rules of the form `METHOD pattern`, where `*` stands for any method or any characters, or returns the
 * recommended ones. Paths do not bound the indexes that a body names (`_bulk`, `_msearch`): only the rights of the
 * cluster user do.
 */
export function denyRules(rules: readonly string[] | "recommended"): Deny {
  if (rules === "recommended") return (call) => RECOMMENDED.some((rule) => rule(call));
  const compiled = rules.map(patternRule);
  return (call) => compiled.some((rule) => rule(call));
}

function patternRule(rule: string): Deny {
  const [method = "*", pattern = "/"] = rule.split(" ");
  return (call) => (method === "*" || method === call.method) && matches(pattern, `/${call.segments.join("/")}`);
}

/** Whether a text matches a pattern in which `*` stands for any characters, without the backtracking of an expression. */
function matches(pattern: string, text: string): boolean {
  const [first = "", ...middle] = pattern.split("*");
  const last = middle.pop();
  if (last === undefined) return text === pattern;
  const end = text.length - last.length;
  let at = first.length;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  for (const part of middle) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** Whether an expression stands for every index. An empty name does, in some of the cluster's calls. */
const isEverything = (expression: string) =>
  expression.split(",").some((part) => part === "_all" || /^[*-]*$/.test(part));

/** Whether an expression names an index of the cluster itself (security, dashboards, models, tasks): a leading dot. */
const isSystem = (expression: string) => expression.split(",").some((part) => part.startsWith("."));

const WRITES_MANY = new Set(["_delete_by_query", "_update_by_query", "_close", "_block"]);

/** Security, snapshots, secure settings, connectors and notifications, cluster-wide deletes, remote reindex, system indexes. */
const RECOMMENDED: readonly Deny[] = [
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
  ].map(patternRule),
  ({ method, segments: [first = ""] }) => method === "DELETE" && isEverything(first),
  ({ method, segments: [first = "", second = ""] }) =>
    method === "DELETE" && first === "_data_stream" && isEverything(second),
  ({ method, segments: [first = "", second = ""] }) =>
    method !== "GET" && isEverything(first) && WRITES_MANY.has(second),
  ({ segments: [first = ""] }) => isSystem(first),
  ({ segments: [first], body }) => first === "_reindex" && reindexesRemotely(body),
];

function reindexesRemotely(body: Buffer): boolean {
  try {
    const { source } = JSON.parse(body.toString("utf8")) as { source?: { remote?: unknown } };
    return source?.remote !== undefined;
  } catch {
    // The cluster reads more than JSON.parse does, comments for example: a body that cannot be read here is refused.
    return body.length > 0;
  }
}
