import { setTimeout as sleep } from "node:timers/promises";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import type { OpenSearch } from "../../lib/settings/project.ts";
import { ConnectionError, RelevanceError } from "../../packages/clients/typescript/src/errors.ts";
import { Transport } from "../../packages/clients/typescript/src/transport.ts";
import { type FunctionsClusterRole, roleCalls } from "./cluster-roles.ts";

export interface CheckOptions {
  /** URL of the API, without a trailing slash. */
  url: string;
  key: string;
  /** How long to wait until a new API and a new key work everywhere; default 90 s. */
  timeoutMs?: number;
  /** Time between two attempts; default 3 s. */
  intervalMs?: number;
}

/** The outcome of a request to the cluster through the API. */
export type CheckResult =
  | { kind: "works"; version: string }
  /** A rule of the configuration keeps this request from the cluster, so only the gateway has answered. */
  | { kind: "not-let-through"; rule: string }
  /** The cluster rejects the gateway. */
  | { kind: "refused"; status: 401 | 403 }
  /** The API answers, but something behind it fails. */
  | { kind: "failed"; status: number; message: string }
  /** The API does not answer, at all or from this machine. */
  | { kind: "unreachable"; reason: string };

/** Requests the cluster's version through the API; retries errors that a new API shows at first. */
export async function checkCluster(options: CheckOptions): Promise<CheckResult> {
  const { timeoutMs = 90_000, intervalMs = 3_000 } = options;
  const end = performance.now() + timeoutMs;
  for (;;) {
    const { result, passing } = await ask(options);
    if (!passing || performance.now() + intervalMs > end) return result;
    await sleep(intervalMs);
  }
}

const CALL_MS = 30_000;

interface Answer {
  result: CheckResult;
  /** Whether a new API may give this answer at first, until it works everywhere. */
  passing: boolean;
}

async function ask({ url, key }: CheckOptions): Promise<Answer> {
  const transport = new Transport({ url, key, retries: 0, timeoutMs: CALL_MS });
  try {
    const { text } = await transport.call({ method: "GET", path: "/raw-backend", safe: true });
    const { version } = bodyOf(parseJson(text));
    return { result: { kind: "works", version: version?.number ?? "unknown" }, passing: false };
  } catch (error) {
    if (error instanceof ConnectionError) {
      const { message: reason } = error;
      // A host name that does not resolve now will rarely resolve within a minute.
      return { result: { kind: "unreachable", reason }, passing: !/ENOTFOUND|EAI_AGAIN/.test(reason) };
    }
    if (!(error instanceof RelevanceError)) throw error;
    const { status, code, requestId } = error;
    // Errors of the API itself have its error shape; errors of the cluster do not.
    if ((status === 401 || status === 403) && code === "unexpected_answer" && requestId !== undefined) {
      return { result: { kind: "refused", status }, passing: false };
    }
    const said = bodyOf(error.answer).error;
    const rule = said?.cause?.rule;
    if (code === "forbidden" && rule !== undefined) {
      return { result: { kind: "not-let-through", rule }, passing: false };
    }
    const message = said?.message ?? error.message;
    return { result: { kind: "failed", status, message }, passing: status === 403 || status >= 500 };
  }
}

interface Body {
  version?: { number?: string };
  error?: { message?: string; cause?: { rule?: string } };
}

const bodyOf = (value: unknown): Body => (isObject(value) ? value : {});

/** Returns how to map roles of IAM to roles of the cluster. */
const mappingAdvice = (roles: readonly FunctionsClusterRole[]): string =>
  "Make a role of the cluster for each of them, and map it as a backend role: as an administrator, with these calls, which " +
  `\`relevance cluster-role\` prints too.\n\n${roleCalls(roles).join("\n")}`;

/** Returns what to do about a cluster that rejects the gateway. `clusterRoles` are those of all functions that call it. */
export function refusalAdvice(auth: OpenSearch["auth"], clusterRoles: readonly FunctionsClusterRole[]): string {
  if (auth?.type === "basic") {
    return (
      `The cluster rejects the user of the secret ${auth.master_user_secret_arn}. Check username and password in it, and ` +
      "whether that user may read and write the indices."
    );
  }
  const roles = clusterRoles.map(({ roleArn }) => `  ${roleArn}\n`).join("");
  const how = mappingAdvice(clusterRoles);
  if (auth?.type === "aws") return `The cluster does not know the roles of the functions that call it:\n${roles}${how}`;
  return (
    "The cluster requires authentication, but opensearch.auth in project.yaml is not set. Set its type to aws or basic and " +
    `deploy again. For aws, these roles call the cluster:\n${roles}${how}`
  );
}
