import type { TestCloud } from "../../../../test/fixtures/cloud.ts";

/** Returns a signature for moto, which reads the service from it and does not verify it. */
const authorization = ({ region }: TestCloud, service: string, key = "test") =>
  `AWS4-HMAC-SHA256 Credential=${key}/20000101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`;

async function read(response: Response, what: string): Promise<string> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${what}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}

/** Calls a service with the JSON protocol for which this project has no SDK client. */
export async function callJson<Answer>(
  cloud: TestCloud,
  service: string,
  target: string,
  body: unknown,
  key?: string,
): Promise<Answer> {
  const response = await fetch(cloud.endpoint, {
    method: "POST",
    headers: {
      authorization: authorization(cloud, service, key),
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": target,
    },
    body: JSON.stringify(body),
  });
  return JSON.parse(await read(response, target));
}

/** Calls IAM. Returns the XML. */
export function callIam(cloud: TestCloud, parameters: Record<string, string>): Promise<string> {
  return callQuery(cloud, "iam", { Version: "2010-05-08", ...parameters });
}

/** Calls SNS. Returns the XML. */
export function callSns(cloud: TestCloud, parameters: Record<string, string>): Promise<string> {
  return callQuery(cloud, "sns", { Version: "2010-03-31", ...parameters });
}

async function callQuery(cloud: TestCloud, service: string, parameters: Record<string, string>): Promise<string> {
  const response = await fetch(cloud.endpoint, {
    method: "POST",
    headers: { authorization: authorization(cloud, service), "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(parameters),
  });
  return read(response, parameters.Action ?? service);
}
