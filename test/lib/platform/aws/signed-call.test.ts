import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SignatureV4 } from "@smithy/signature-v4";
import * as assert from "uvu/assert";
import { failureKind } from "../../../../lib/platform/aws/errors.ts";
import { secretReader } from "../../../../lib/platform/aws/secret-reader.ts";
import { signedCall, signedHeaders } from "../../../../lib/platform/aws/signed-call.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { ssmParameters } from "../../../../lib/recommendation/clients/parameters.ts";
import { suite } from "../../../suite.ts";

const test = suite("calls to AWS without an SDK");

const VARIABLES = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "s/+ecret" };
const INPUT = { SecretId: "arn:aws:secretsmanager:eu-west-1:1:secret:é" };

/** What SignatureV4 hashes with. */
class Sha256 {
  readonly #hash;
  constructor(key?: string | Uint8Array) {
    this.#hash = key === undefined ? createHash("sha256") : createHmac("sha256", key);
  }
  update(data: string | Uint8Array) {
    this.#hash.update(data);
  }
  async digest() {
    return new Uint8Array(this.#hash.digest());
  }
}

for (const AWS_SESSION_TOKEN of [undefined, "token/+="]) {
  test(`signs as the official signer does, ${AWS_SESSION_TOKEN ? "with" : "without"} a session token`, async () => {
    const now = new Date("2026-01-02T03:04:05.678Z");
    const body = JSON.stringify(INPUT);
    const call = { service: "secretsmanager", operation: "GetSecretValue", input: INPUT } as const;
    const host = "secretsmanager.eu-west-1.amazonaws.com";
    const variables = { ...VARIABLES, AWS_SESSION_TOKEN };
    const { authorization, ...headers } = signedHeaders({ ...call, host, path: "/", body }, variables, now);
    const signer = new SignatureV4({
      credentials: {
        ...{ accessKeyId: VARIABLES.AWS_ACCESS_KEY_ID, secretAccessKey: VARIABLES.AWS_SECRET_ACCESS_KEY },
        ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
      },
      ...{ region: "eu-west-1", service: "secretsmanager", sha256: Sha256 as never, applyChecksum: false },
    });
    const request = { method: "POST", protocol: "https:", hostname: host, path: "/", headers, body };
    const signed = await signer.sign(request, { signingDate: now });
    assert.is(authorization, signed.headers.authorization);
  });
}

/** Answers with one answer after the other, and returns what was received. */
async function serving(answers: [status: number, body: string][]) {
  const received: { target: unknown; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ target: request.headers["x-amz-target"], body: JSON.parse(await text(request)) });
    const [status, body] = answers.shift() ?? [500, ""];
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const AWS_ENDPOINT_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { variables: { ...VARIABLES, AWS_ENDPOINT_URL }, received, close: () => server.close() };
}

test("reads a secret, again after a transient failure", async () => {
  const { variables, received, close } = await serving([
    [400, '{"__type": "ThrottlingException", "message": "slow down"}'],
    [502, "<html>"],
    [200, '{"SecretString": "text"}'],
  ]);
  assert.is(await secretReader(() => variables)("arn"), "text");
  assert.equal(received, Array(3).fill({ target: "secretsmanager.GetSecretValue", body: { SecretId: "arn" } }));
  close();
});

test("reads parameters, ten in a call, and leaves out those without a value", async () => {
  const names = Array.from({ length: 11 }, (_, i) => `/p/${i}`);
  const one = (Name: string) => JSON.stringify({ Parameters: [{ Name, Value: "v", Version: 1 }] });
  const { variables, received, close } = await serving([
    [200, one("/p/0")],
    [200, one("/p/10")],
  ]);
  const found = await ssmParameters(5_000, () => variables)(names, deadlineIn(5_000));
  assert.equal([...found.keys()], ["/p/0", "/p/10"]);
  assert.equal(
    received.map(({ target }) => target),
    Array(2).fill("AmazonSSM.GetParameters"),
  );
  close();
});

test("names failures as the SDK does", async () => {
  const cases = [
    [400, '{"__type": "com.amazonaws.ssm#ParameterNotFound"}', "absent"],
    [400, '{"__type": "AccessDeniedException", "Message": "no"}', "denied"],
    [400, "null", "failed"],
    [403, "no JSON", "denied"],
    [503, "", "unavailable"],
  ] as const;
  const { variables, close } = await serving(cases.map(([status, body]) => [status, body]));
  for (const [status, body, kind] of cases) {
    const failed = await signedCall({ service: "ssm", operation: "GetParameters", input: {} }, variables).catch(
      (e) => e,
    );
    assert.is(failureKind(failed), kind, `${status} ${body}`);
  }
  close();
  const refused = await signedCall({ service: "ssm", operation: "X", input: {} }, variables).catch((e) => e);
  assert.is(failureKind(refused), "unavailable");
});

test.run();
