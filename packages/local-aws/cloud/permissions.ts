import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Request } from "./listener.ts";
import type { StandInAnswer, StandInRequest } from "./stand-in.ts";

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

/** Parameters of assuming a role for a service. */
export interface AssumedRole {
  role: string;
  /** For example `personalize.amazonaws.com`. */
  service: string;
  /** The ARN of the resource that the service works on. */
  sourceArn: string;
}

/** Path prefix of our own control endpoints in the moto process; no AWS service uses it. */
const PATH = "/_cloud";

/**
 * Returns the refusal of a request to a stand-in, or undefined if its caller's policies and the service's model allow
 * it.
 */
export async function refusal(
  motoUrl: string,
  sent: StandInRequest,
  { url }: Request,
): Promise<StandInAnswer | undefined> {
  const { method, headers, body } = sent;
  const described = { url, method, headers, body: body.toString("base64") };
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
  return (await ask(endpoint, "/session", { role, service, name: service.split(".")[0], sourceArn })) as SessionKeys;
}

/**
 * Returns the variables with which a function acts for its role, as Lambda sets them. Throws as {@link assumeRole}
 * does.
 */
export async function roleVariables(
  endpoint: string,
  { role, functionArn: sourceArn }: { role: string; functionArn: string },
): Promise<Record<string, string>> {
  const keys = await assumeRole(endpoint, { role, service: "lambda.amazonaws.com", sourceArn });
  return {
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    AWS_SESSION_TOKEN: keys.sessionToken,
  };
}

/** Returns the distinct decisions so far. */
export async function decisionsOf({ endpoint }: { endpoint: string }): Promise<Decision[]> {
  return (await ask(endpoint, "/decisions", {})) as Decision[];
}

/** Permissions of a role or user, compared with its calls. */
export interface PermissionReport {
  /** An ARN. */
  principal: string;
  /** Every action of every statement that it ever had, such as `ReadRuns s3:GetObject`. */
  granted: string[];
  /** The permissions without which no call would have been refused. */
  unneeded: string[];
  /** Its refused calls, such as `s3:GetObject arn:aws:s3:::bucket/key`. */
  refused: string[];
}

/** Returns which permissions are too wide and too narrow. */
export async function permissionReport({ endpoint }: { endpoint: string }): Promise<PermissionReport[]> {
  return (await ask(endpoint, "/report", {})) as PermissionReport[];
}

/** AWS-like faults to simulate. Absent ones do not occur. */
export interface Faults {
  /** Delay (s) until other services know a new role. */
  roleSeconds?: number;
  /** Delay (s) until new policies of a role take effect. */
  policySeconds?: number;
  /** Delay (s) until conditions on a KMS key's aliases know a new alias. */
  kmsAliasSeconds?: number;
  /** Delay (s) until a created or changed function can be invoked. */
  functionSeconds?: number;
  /** Throttling by the service's signing name: 3 means that every third call is refused. */
  throttled?: Readonly<Record<string, number>>;
}

/** Turns on exactly these faults. */
export async function setFaults({ endpoint }: { endpoint: string }, faults: Faults): Promise<void> {
  await ask(endpoint, "/faults", faults);
}

/**
 * Makes the local Firehose buffer the records of a delivery stream for this many seconds and then write them as one
 * object. AWS buffers by size and time. 0, the initial value, writes the records of each call immediately.
 */
export async function delayFirehose(endpoint: string, stream: string, seconds: number): Promise<void> {
  await ask(endpoint, "/firehose-delay", { stream, seconds });
}

/** Keeps connections open: each call to a stand-in makes a request here, and `fetch` takes twice as long. */
const agent = new Agent({ keepAlive: true });

/** Calls a control path in moto's process. Throws Error with its answer if it fails. */
async function ask(url: string, path: string, body: unknown): Promise<unknown> {
  const request = httpRequest(`${url}${PATH}${path}`, { method: "POST", agent });
  request.end(JSON.stringify(body));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const answered = await text(response);
  if (response.statusCode !== 200)
    throw new Error(`the guard of the local cloud answered ${response.statusCode}: ${answered}`);
  const answer = JSON.parse(answered) as { error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}
