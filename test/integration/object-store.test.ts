import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { CreateBucketCommand, HeadObjectCommand, S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { openObjects } from "../../cli/state/buckets.ts";
import { readText } from "../../lib/platform/aws/object-store.ts";
import { s3ObjectStore } from "../../lib/platform/aws/s3-object-store.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("a bucket as a store of objects");

const cloud = await sharedCloud();
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
const folder = scratchFolder(TEST_OUTPUT, "object-store");
test.after(() => rmSync(folder, { recursive: true, force: true }));

test("takes a file that is too large for one call in parts", async () => {
  const Bucket = `store-${randomUUID()}`;
  const LocationConstraint = "eu-west-1";
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint } }));
  const MB = 1024 ** 2;
  const store = s3ObjectStore(s3, Bucket, { put: 8 * MB, part: 5 * MB });
  for (const [size, parts] of [
    [8 * MB, undefined],
    [10 * MB, 2],
    [12 * MB, 3],
  ] as const) {
    const content = randomBytes(size);
    const file = join(folder, `${size}`);
    writeFileSync(file, content);
    await store.write("made", { file });
    const read = await store.read("made");
    assert.ok(read && content.equals(await buffer(read)), `${size} bytes`);
    const { ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key: "made" }));
    assert.is(Number(/-(\d+)"$/.exec(ETag ?? "")?.[1] ?? Number.NaN) || undefined, parts);
  }
});

test("of the user's is read in whatever region it is", async () => {
  const server = createServer((request, response) => {
    if (request.headers.authorization?.includes("/eu-central-1/s3/")) response.end("users");
    else {
      response.writeHead(301, { "x-amz-bucket-region": "eu-central-1", "content-type": "application/xml" });
      response.end("<Error><Code>PermanentRedirect</Code><Message>elsewhere</Message></Error>");
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const store = await openObjects(
      { ...clientOptions(cloud), endpoint, forcePathStyle: true, followRegionRedirects: true },
      "theirs",
    );
    assert.is(await readText(store, "subscribers.csv"), "users");
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test.run();
