import type { TestCloud } from "../../fixtures/cloud.ts";

/** A signature as moto reads it: the service is in it, and nobody checks it. */
const authorization = ({ region }: TestCloud, service: string) =>
  `AWS4-HMAC-SHA256 Credential=test/20000101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`;

async function read(response: Response, what: string): Promise<string> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${what}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}

/** One call of a service with the JSON protocol whose SDK client this project does not have. */
export async function callJson<Answer>(
  cloud: TestCloud,
  service: string,
  target: string,
  body: unknown,
): Promise<Answer> {
  const response = await fetch(cloud.endpoint, {
    method: "POST",
    headers: {
      authorization: authorization(cloud, service),
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": target,
    },
    body: JSON.stringify(body),
  });
  return JSON.parse(await read(response, target));
}

/** One call of IAM; gives the XML. */
export function callIam(cloud: TestCloud, parameters: Record<string, string>): Promise<string> {
  return callQuery(cloud, "iam", { Version: "2010-05-08", ...parameters });
}

/** One call of SNS; gives the XML. */
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
