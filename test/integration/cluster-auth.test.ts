import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import * as assert from "uvu/assert";
import type { StandIn } from "../../packages/local-aws/cloud/stand-in.ts";
import { type AuthProxy, type SeenRequest, startAuthProxy } from "../fixtures/auth-proxy.ts";
import { sharedCloud } from "../fixtures/cloud.ts";
import { setAwsEndpoint, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { serveStandIns } from "../fixtures/stand-in-server.ts";
import { suite } from "../suite.ts";

const test = suite("cluster authentication");

const SECRET_ARN = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:master-AbCdEf";
const CREDENTIALS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "verySecretAccessKey", sessionToken: "sess-tok" };

/** Secrets Manager with one secret that a test changes. */
const secrets: StandIn & { value: unknown; reads: number } = {
  services: ["secretsmanager"],
  value: {},
  reads: 0,
  async handle() {
    secrets.reads += 1;
    const SecretString = typeof secrets.value === "string" ? secrets.value : JSON.stringify(secrets.value);
    return {
      status: 200,
      headers: { "content-type": "application/x-amz-json-1.1" },
      body: JSON.stringify({ ARN: SECRET_ARN, SecretString }),
    };
  },
};
const cloud = await sharedCloud();
const aws = await serveStandIns([secrets], cloud);
setAwsEndpoint(aws.url, cloud);

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

const toStop: Array<{ stop(): Promise<void> }> = [aws];
const keep = <T extends { stop(): Promise<void> }>(started: T): T => {
  toStop.unshift(started);
  return started;
};

// Credentials do not depend on the version of the cluster.
for (const cluster of (await clusters()).slice(-1)) {
  const index = uniqueIndex("auth");
  const search = (gateway: TestGateway) =>
    gateway.post("/application/search", { index, search_request: { query: { match: { title: "salt" } } } });

  test.before(async () => {
    await request(cluster, "PUT", `/${index}/_doc/${encodeURIComponent("a/b c")}?refresh=true`, { title: "salt" });
  });

  const basicGateway = async (password: () => string): Promise<{ gateway: TestGateway; proxy: AuthProxy }> => {
    const proxy = keep(
      await startAuthProxy(cluster.url, ({ headers }) => headers.authorization === basic("master", password())),
    );
    const env = { OPENSEARCH_AUTH: "basic", OPENSEARCH_SECRET_ARN: SECRET_ARN };
    return { gateway: keep(await startGateway({ node: proxy.url, env })), proxy };
  };

  test(`${cluster.version}: basic: reads the secret once and sends it with each call`, async () => {
    secrets.value = { username: "master", password: "p:ä$s" };
    secrets.reads = 0;
    const { gateway, proxy } = await basicGateway(() => "p:ä$s");
    for (let i = 0; i < 5; i += 1) assert.is((await search(gateway)).status, 200);
    assert.is(secrets.reads, 1);
    assert.is(proxy.refused.length, 0);
  });

  test(`${cluster.version}: basic: reads a rotated secret again without failing a request`, async () => {
    let password = "first-password";
    secrets.value = { username: "master", password };
    secrets.reads = 0;
    const { gateway } = await basicGateway(() => password);
    assert.is((await search(gateway)).status, 200);
    password = "second-password";
    secrets.value = { username: "master", password };
    const answers = await Promise.all(Array.from({ length: 16 }, () => search(gateway)));
    assert.equal([...new Set(answers.map(({ status }) => status))], [200]);
    assert.is(secrets.reads, 2, "refused together, read again once");
    password = "third-password";
    secrets.value = { username: "master", password };
    const headers = { "content-type": "application/json" };
    const written = await gateway.send("PUT", `/raw-backend/${index}/_doc/r`, { body: '{"title":"r"}', headers });
    assert.ok([200, 201].includes(written.status), "a write too");
  });

  test(`${cluster.version}: basic: wrong credentials are 502, and appear in neither answers nor logs`, async () => {
    secrets.value = { username: "master", password: "wrong-password-7" };
    const { gateway, proxy } = await basicGateway(() => "right");
    const printed = await captureOutput(async () => {
      const { status, body, text } = await search(gateway);
      assert.is(status, 502);
      assert.is(body.error.code, "upstream_failed");
      assert.match(body.error.message, "refused the gateway's own credentials");
      assert.not.match(text, /wrong-password|master|secretsmanager|127\.0\.0\.1/);
    });
    assert.not.match(printed, "wrong-password-7");
    assert.not.match(printed, basic("master", "wrong-password-7"));
    assert.is(proxy.admitted.length, 0);
  });

  test(`${cluster.version}: basic: says which form the secret must have, without showing the secret`, async () => {
    secrets.value = "hunter2-plain-text";
    const { gateway } = await basicGateway(() => "right");
    const printed = await captureOutput(async () => {
      const { status, text } = await search(gateway);
      assert.is(status, 502);
      assert.match(text, "is not {");
      assert.not.match(text, "hunter2");
    });
    assert.not.match(printed, "hunter2");
  });

  test(`${cluster.version}: aws: the signature covers path, query and body of each call`, async () => {
    const verdicts: boolean[] = [];
    const proxy = keep(
      await startAuthProxy(cluster.url, async (seen) => {
        verdicts.push(await isSigned(seen));
        return verdicts.at(-1) === true;
      }),
    );
    const env = {
      OPENSEARCH_AUTH: "aws",
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      AWS_SESSION_TOKEN: CREDENTIALS.sessionToken,
    };
    const gateway = keep(await startGateway({ node: proxy.url, env }));
    assert.is((await search(gateway)).status, 200);
    const paths = [
      `/${index}/_doc/a%2Fb%20c?_source=title&preference=${encodeURIComponent("a b/+é=&")}`,
      `/${index}/_search?q=title:salt&size=1`,
      `/${index}/_count`,
      "/",
    ];
    for (const path of paths) {
      const { status, text } = await gateway.send("GET", `/raw-backend${path === "/" ? "" : path}`);
      assert.is(status, 200, `${path}: ${text}`);
    }
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ title: "ümläut ✓ 漢字" });
    const written = await gateway.send("PUT", `/raw-backend/${index}/_doc/${encodeURIComponent("é(*)'!")}`, {
      body,
      headers,
    });
    assert.is(written.status, 201, written.text);
    const untyped = await gateway.send("POST", `/raw-backend/${index}/_search`, {
      body: new TextEncoder().encode("{}"),
    });
    assert.is(untyped.status, 406, untyped.text);
    assert.is(proxy.admitted.at(-1)?.headers["content-type"], undefined, "no type is added to a body that has none");
    assert.is(verdicts.length, 7);
    assert.ok(verdicts.every(Boolean));
    assert.ok(proxy.admitted.every((seen) => seen.headers.authorization?.includes("/eu-west-1/es/aws4_request")));
  });
}

test("the check of signatures refuses a changed path, query and body", async () => {
  const signed = await sign({
    method: "POST",
    target: "/a%2Fb/_search?q=1",
    headers: { host: "h" },
    body: Buffer.from("{}"),
  });
  assert.is(await isSigned(signed), true);
  assert.is(await isSigned({ ...signed, target: "/a%2Fc/_search?q=1" }), false);
  assert.is(await isSigned({ ...signed, target: "/a%2Fb/_search?q=2" }), false);
  assert.is(await isSigned({ ...signed, body: Buffer.from("{ }") }), false);
});

/** SHA-256 in the form that the signer requires. */
class Sha256 {
  readonly hash: Hash | Hmac;
  constructor(secret?: string | Uint8Array) {
    this.hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
  }
  update(data: string | Uint8Array): void {
    this.hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
  reset(): void {
    throw new Error("not used");
  }
}

/** The AWS SDK's own signer, an implementation other than the one that signed. */
async function sign(seen: SeenRequest, signingDate = new Date()): Promise<SeenRequest> {
  const signer = new SignatureV4({
    service: "es",
    region: "eu-west-1",
    credentials: CREDENTIALS,
    sha256: Sha256 as never,
  });
  const { pathname, searchParams } = new URL(seen.target, "http://h");
  const query: Record<string, string | string[]> = {};
  for (const name of searchParams.keys()) query[name] = searchParams.getAll(name);
  const { headers } = await signer.sign(
    {
      method: seen.method,
      protocol: "http:",
      hostname: "h",
      path: pathname,
      query,
      headers: seen.headers,
      body: seen.body,
    },
    { signingDate },
  );
  return { ...seen, headers };
}

async function isSigned(seen: SeenRequest): Promise<boolean> {
  const { authorization = "", "x-amz-date": date = "" } = seen.headers;
  const names = authorization.match(/SignedHeaders=([^,]+)/)?.[1]?.split(";") ?? [];
  const at = new Date(date.replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5"));
  const headers = Object.fromEntries(names.map((name) => [name, seen.headers[name] ?? ""]));
  const again = await sign({ ...seen, headers }, at);
  // The signer takes the body's hash from this header, so the header has to be compared with the body.
  const hash = createHash("sha256").update(seen.body).digest("hex");
  if (seen.headers["x-amz-content-sha256"] !== hash) return false;
  return authorization !== "" && signatureOf(again.headers.authorization) === signatureOf(authorization);
}

const signatureOf = (authorization = "") => authorization.match(/Signature=([0-9a-f]+)/)?.[1];

async function captureOutput(work: () => Promise<void>): Promise<string> {
  const { write } = process.stdout;
  const { log, error } = console;
  let output = "";
  const take = (...parts: unknown[]) => {
    output += parts.map(String).join(" ");
    return true;
  };
  process.stdout.write = take as typeof write;
  Object.assign(console, { log: take, error: take });
  try {
    await work();
  } finally {
    process.stdout.write = write;
    Object.assign(console, { log, error });
  }
  return output;
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();
