import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as assert from "uvu/assert";
import { failureKind } from "../../../../lib/platform/aws/errors.ts";
import { signedIfChanged } from "../../../../lib/platform/aws/signed-object.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { suite } from "../../../suite.ts";

const test = suite("reads of an object without an SDK");

const answers: Record<string, [status: number, body: string]> = {
  "/bucket/there": [200, "text"],
  "/bucket/denied": [403, "<Error><Code>AccessDenied</Code></Error>"],
  "/bucket/absent": [404, '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>'],
};
const server = createServer((request, response) => {
  const [status, body] = answers[request.url ?? ""] ?? [500, ""];
  const isKnown = status === 200 && request.headers["if-none-match"] === '"e1"';
  const isSigned = /^AWS4-HMAC-SHA256 .*x-amz-content-sha256;x-amz-date/.test(request.headers.authorization ?? "");
  response.writeHead(isSigned ? (isKnown ? 304 : status) : 400, { etag: '"e1"' }).end(isKnown ? "" : body);
});

const read = (key: string, etag?: string) => {
  const { port } = server.address() as AddressInfo;
  const variables = {
    ...{ AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "s" },
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
  };
  return signedIfChanged(() => variables, { bucket: "bucket", key, timeoutMs: 5_000 })(etag, deadlineIn(5_000));
};

test.before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
test.after(() => new Promise<void>((resolve) => server.close(() => resolve())));

test("returns the text and its ETag, and knows what has not changed", async () => {
  assert.equal(await read("there"), { text: "text", etag: '"e1"' });
  assert.is(await read("there", '"e1"'), "unchanged");
});

for (const [key, kind] of [
  ["denied", "denied"],
  ["absent", "absent"],
] as const) {
  test(`an object that is ${key} is that kind of failure`, async () => {
    await read(key).then(
      () => assert.unreachable(),
      (error) => assert.is(failureKind(error), kind),
    );
  });
}

test.run();
