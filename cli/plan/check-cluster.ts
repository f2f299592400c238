import { setTimeout as sleep } from "node:timers/promises";
import type { OpenSearch } from "../../lib/config/project.ts";
import { isObject, parseJson } from "../../lib/core/json/values.ts";

export interface CheckOptions {
  /** Of the API, without a slash at the end. */
  url: string;
  key: string;
  /** Total time for a new API and a new key to be known everywhere; default 90 s. */
  timeoutMs?: number;
  /** Between two tries; default 3 s. */
  intervalMs?: number;
}

/** What a request to the cluster through the API has shown. */
export type CheckResult =
  | { kind: "works"; version: string }
  /** The cluster refuses the gateway. */
  | { kind: "refused"; status: 401 | 403 }
  /** The API answers, and something behind it does not. */
  | { kind: "failed"; status: number; message: string }
  /** No answer from the API at all: from here, or yet. */
  | { kind: "unreachable"; reason: string };

/** Asks the cluster for its version, through the API. */
export async function checkCluster(options: CheckOptions): Promise<CheckResult> {
  const { timeoutMs = 90_000, intervalMs = 3_000 } = options;
  const end = performance.now() + timeoutMs;
  for (;;) {
    const { result, passing } = await ask(options);
    if (!passing || performance.now() + intervalMs > end) return result;
    await sleep(intervalMs);
  }
}

interface Answer {
  result: CheckResult;
  /** Whether it is what a new API answers until it is known everywhere. */
  passing: boolean;
}

async function ask({ url, key }: CheckOptions): Promise<Answer> {
  let response: Response;
  let text: string;
  try {
    const signal = AbortSignal.timeout(30_000);
    response = await fetch(`${url}/raw-backend`, { headers: { "x-api-key": key }, signal });
    text = await response.text();
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message || ((cause as NodeJS.ErrnoException).code ?? "") : message;
    // A name that does not resolve from here seldom does a minute later.
    return { result: { kind: "unreachable", reason }, passing: !/ENOTFOUND|EAI_AGAIN/.test(reason) };
  }
  const { status } = response;
  const body = parsed(text);
  if (response.ok) return { result: { kind: "works", version: body.version?.number ?? "unknown" }, passing: false };
  // The API's own refusals have its error shape, the cluster's do not.
  const code = body.error?.code;
  if ((status === 401 || status === 403) && code === undefined && response.headers.has("x-request-id")) {
    return { result: { kind: "refused", status }, passing: false };
  }
  const message = body.error?.message ?? text.slice(0, 200);
  return { result: { kind: "failed", status, message }, passing: status === 403 || status >= 500 };
}

interface Body {
  version?: { number?: string };
  error?: { code?: string; message?: string };
}

function parsed(text: string): Body {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

/** What to do about a cluster that refuses the gateway. */
export function refusalAdvice(auth: OpenSearch["auth"], roleArn: string): string {
  if (auth?.type === "basic") {
    return (
      `The cluster refuses the account of ${auth.master_user_secret_arn}. Check username and password in that secret, and ` +
      "that the account may read and write the indices."
    );
  }
  const mapping = `PUT _plugins/_security/api/rolesmapping/all_access\n{ "backend_roles": ["${roleArn}"] }`;
  const how =
    "Map it to a role of the cluster that may do what the gateway should: in OpenSearch Dashboards under Security, Roles, " +
    `Mapped users, as a backend role; or, as an administrator:\n\n${mapping}\n\n` +
    "This replaces the mapping of all_access: take over those that are in it, or name a role of your own.";
  if (auth?.type === "aws") return `The cluster does not know the gateway's role\n  ${roleArn}\n${how}`;
  return (
    "The cluster asks for authentication, and opensearch.auth of project.yaml is not set. Set its type to aws or basic and " +
    `deploy again. With aws, the gateway's role is\n  ${roleArn}\n${how}`
  );
}
