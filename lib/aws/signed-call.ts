import { createHash, createHmac } from "node:crypto";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { buffer } from "node:stream/consumers";
import { domainSuffixOf } from "../core/naming/partitions.ts";

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
  const send = url.protocol === "http:" ? httpRequest : httpsRequest;
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  send(url, { method: "POST", headers, ...(signal && { signal }) }, (answer) => {
    buffer(answer).then((bytes) => resolve({ status: answer.statusCode ?? 0, text: bytes.toString() }), reject);
  })
    .on("error", reject)
    .end(body);
  const { status, text } = await promise;
  if (status === 200) return JSON.parse(text);
  throw errorOf(service, status, text);
}

interface Signed extends JsonCall {
  host: string;
  path: string;
  body: string;
}

/** Returns the headers of a call. Source: "Create a signed AWS API request", IAM User Guide. */
export function signedHeaders(
  { service, operation, host, path, body }: Signed,
  { AWS_REGION: region = "", AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN }: AwsVariables,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const headers: Record<string, string> = {
    "content-type": "application/x-amz-json-1.1",
    host,
    "x-amz-date": time,
    ...(AWS_SESSION_TOKEN && { "x-amz-security-token": AWS_SESSION_TOKEN }),
    "x-amz-target": `${TARGETS[service]}.${operation}`,
  };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
  const canonical = ["POST", path, "", ...lines, "", names, sha256(body)].join("\n");
  const scope = [time.slice(0, 8), region, service, "aws4_request"];
  const signingKey = scope.reduce((parent: string | Buffer, part) => hmac(parent, part), `AWS4${secret}`);
  const signature = hmac(signingKey, ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n"));
  const credential = `Credential=${key}/${scope.join("/")}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature.toString("hex")}`,
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Reads the error in an answer, which names its type as `com.amazonaws.ssm#ParameterNotFound` or without the prefix. */
function errorOf(service: Service, status: number, text: string): Error {
  let answer: { __type?: unknown; message?: unknown; Message?: unknown } = {};
  try {
    answer = { ...JSON.parse(text) };
  } catch {
    // A proxy's page. The status says enough.
  }
  const name = String(answer.__type ?? "").replace(/^.*#/, "") || "Error";
  const message = String(answer.message ?? answer.Message ?? `${service} answered ${status}`);
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });
}
