import type { Request } from "./listener.ts";
import type { StandInAnswer, StandInRequest } from "./stand-in.ts";

/** Whether calls need the permissions that they need in AWS. The account's root user needs none: access key `test`. */
export type Permissions = "enforced" | "ignored";

/** A decision about a call, which may have been made several times. */
export interface Decision {
  /** The ARN of a user or role, or the name of a service. */
  principal: string;
  /** For example `s3:GetObject`. */
  action: string;
  /** An ARN, or `*` for actions that have no resource. */
  resource: string;
  allowed: boolean;
  count: number;
}

/** Credentials with which a service acts for a role. */
export interface SessionKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

/** A role that a service assumes. */
export interface AssumedRole {
  role: string;
  /** For example `personalize.amazonaws.com`. */
  service: string;
  /** The ARN of what the service works on. */
  sourceArn: string;
}

/** The paths of the guard, which runs in moto's process. No AWS service uses them. */
const PATH = "/_cloud/permissions";

/** Returns the refusal of a request to a stand-in, or undefined if its caller's policies allow it. */
export async function refusal(
  motoUrl: string,
  sent: StandInRequest,
  { url }: Request,
): Promise<StandInAnswer | undefined> {
  const { method, headers, body } = sent;
  // The runtimes of models name the model in the path.
  const read = sent.service === "personalize" ? body : Buffer.alloc(0);
  const described = { url, method, headers, body: read.toString("base64") };
  const answer = (await ask(motoUrl, "/check", described)) as {
    status?: number;
    headers?: Record<string, string>;
    body?: string;
  };
  const { status } = answer;
  return status === undefined
    ? undefined
    : { status, headers: answer.headers ?? {}, body: Buffer.from(answer.body ?? "", "base64") };
}

/** Returns credentials of a role for a service. Throws Error if the role does not trust the service. */
export async function assumeRole(endpoint: string, { role, service, sourceArn }: AssumedRole): Promise<SessionKeys> {
  const answer = (await ask(endpoint, "/session", { role, service, name: service.split(".")[0], sourceArn })) as
    | SessionKeys
    | { error: string };
  if ("error" in answer) throw new Error(answer.error);
  return answer;
}

/** Returns each different decision of a cloud that enforces permissions, so far. */
export async function decisionsOf({ endpoint }: { endpoint: string }): Promise<Decision[]> {
  return (await ask(endpoint, "", {})) as Decision[];
}

/** What a role or user was granted, compared with what it did. */
export interface PermissionReport {
  /** An ARN. */
  principal: string;
  /** Granted actions that it never used. */
  unused: string[];
  /** Calls that it was refused, as in `s3:GetObject arn:aws:s3:::bucket/key`. */
  denied: string[];
}

/** Returns which permissions are too wide and too narrow, after a run in a cloud that enforces permissions. */
export async function permissionReport({ endpoint }: { endpoint: string }): Promise<PermissionReport[]> {
  return (await ask(endpoint, "/report", {})) as PermissionReport[];
}

async function ask(url: string, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${url}${PATH}${path}`, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok)
    throw new Error(`the guard of the local cloud answered ${response.status}: ${await response.text()}`);
  return response.json();
}
