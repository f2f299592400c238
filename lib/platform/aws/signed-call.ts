import { createHash, createHmac } from "node:crypto";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { buffer } from "node:stream/consumers";
import { parseJson } from "../json/values.ts";
import { domainSuffixOf } from "../naming/partitions.ts";

/** The variables that Lambda, and the local stack, give a function: region, credentials and another endpoint. */
export type AwsVariables = Readonly<Record<string, string | undefined>>;

/** Services that one small call is all we want of, so that their clients (150 kB, 27 ms) need not be loaded. */
const TARGETS = { secretsmanager: "secretsmanager", ssm: "AmazonSSM" } as const;

type Service = keyof typeof TARGETS;

/** A call by the protocol JSON 1.1 of AWS. */
interface JsonCall {
  service: Service;
  operation: string;
  input: object;
}

/**
 * Sends one call, signed with Signature Version 4, and returns its output. Throws errors as an SDK does: named by their
 * type, with the status in `$metadata`.
 */
export async function signedCall(call: JsonCall, variables: AwsVariables, signal?: AbortSignal): Promise<unknown> {
  const { service } = call;
  const { AWS_REGION: region = "", AWS_ENDPOINT_URL } = variables;
  const url = new URL(AWS_ENDPOINT_URL || `https://${service}.${region}.${domainSuffixOf(region)}`);
  const body = JSON.stringify(call.input);
  const headers = signedHeaders({ ...call, host: url.host, path: url.pathname, body }, variables, new Date());
  const { status, text } = await sent(url, { method: "POST", headers, body, signal });
  if (status === 200) return JSON.parse(text);
  throw errorOf(service, status, text);
}

interface Sent {
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal | undefined;
}

/** Sends one request and returns its whole answer. */
export async function sent(url: URL, { method, headers, body, signal }: Sent) {
  const send = url.protocol === "http:" ? httpRequest : httpsRequest;
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: IncomingHttpHeaders;
    text: string;
  }>();
  send(url, { method, headers, ...(signal && { signal }) }, (answer) => {
    buffer(answer).then(
      (bytes) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: bytes.toString() }),
      reject,
    );
  })
    .on("error", reject)
    .end(body);
  return promise;
}

interface Signed extends JsonCall {
  host: string;
  path: string;
  body: string;
}

/** Returns the headers of a call. */
export function signedHeaders(
  { service, operation, host, path, body }: Signed,
  variables: AwsVariables,
  now: Date,
): Record<string, string> {
  const headers = {
    "content-type": "application/x-amz-json-1.1",
    host,
    "x-amz-target": `${TARGETS[service]}.${operation}`,
  };
  return authorized({ service, method: "POST", path, headers, body }, variables, now);
}

interface Unsigned {
  service: string;
  method: Sent["method"];
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Returns headers with their signature. Source: "Create a signed AWS API request", IAM User Guide. */
export function authorized(
  { service, method, path, headers: given, body }: Unsigned,
  { AWS_REGION: region = "", AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN }: AwsVariables,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const token = AWS_SESSION_TOKEN && { "x-amz-security-token": AWS_SESSION_TOKEN };
  const all = Object.entries({ ...given, "x-amz-date": time, ...token });
  const headers = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
  const canonical = [method, path, "", ...lines, "", names, sha256(body)].join("\n");
  const scope = [time.slice(0, 8), region, service, "aws4_request"];
  const signingKey = scope.reduce((parent: string | Buffer, part) => hmac(parent, part), `AWS4${secret}`);
  const signature = hmac(signingKey, ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n"));
  const credential = `Credential=${key}/${scope.join("/")}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature.toString("hex")}`,
  };
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Reads the error in an answer, which names its type as `com.amazonaws.ssm#ParameterNotFound` or without the prefix. */
function errorOf(service: Service, status: number, text: string): Error {
  // Of a proxy's page the status says enough.
  const answer = { ...(parseJson(text) as { __type?: unknown; message?: unknown; Message?: unknown } | undefined) };
  const name = String(answer.__type ?? "").replace(/^.*#/, "") || "Error";
  const message = String(answer.message ?? answer.Message ?? `${service} answered ${status}`);
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });
}
