import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { importSource } from "../../../cli/gateway/import-files.ts";
import { scratchFolder } from "../../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { suite } from "../../suite.ts";

const test = suite("import files");
const CONTENT = Buffer.from("x".repeat(300_000) + "y".repeat(300_000));
let etag = '"first"';
const ranges: string[] = [];

/** S3 with one object, which closes the connection during the first two answers. */
const server = createServer((call, answer) => {
  const url = new URL(call.url ?? "", "http://s3");
  if (url.searchParams.get("list-type") === "2") {
    const keys = ["in/a.ndjson", "in/a.ndjson.old"].filter((key) =>
      key.startsWith(url.searchParams.get("prefix") ?? ""),
    );
    const contents = keys.map(
      (key) => `<Contents><Key>${key}</Key><Size>${CONTENT.length}</Size><ETag>${etag}</ETag></Contents>`,
    );
    answer.end(`<ListBucketResult>${contents.join("")}</ListBucketResult>`);
    return;
  }
  const range = String(call.headers.range);
  ranges.push(range);
  if (call.headers["if-match"] !== etag) {
    answer.writeHead(412).end("<Error><Code>PreconditionFailed</Code><Message>changed</Message></Error>");
    return;
  }
  const rest = CONTENT.subarray(Number(/^bytes=(\d+)-/.exec(range)?.[1]));
  answer.writeHead(206, { "content-length": rest.length });
  if (ranges.length > 2) answer.end(rest);
  else answer.write(rest.subarray(0, 100_000), () => answer.destroy());
}).listen(0, "127.0.0.1");
await once(server, "listening");
test.after(() => new Promise<void>((resolve) => server.close(() => resolve())));

const { find, open } = importSource(async () => {
  const { port } = server.address() as AddressInfo;
  return new S3Client({
    region: "eu-west-1",
    endpoint: `http://127.0.0.1:${port}`,
    forcePathStyle: true,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
});

test("resumes reading an object where its connection broke", async () => {
  const [file, ...others] = await find(["s3://bucket/in/a.ndjson"]);
  assert.ok(file);
  assert.equal(others, [], "an object with a longer name is another one");
  assert.ok((await buffer(open(file, 50_000))).equals(CONTENT.subarray(50_000)));
  assert.is(ranges.length, 3);
  assert.equal(await buffer(open(file, CONTENT.length)), Buffer.alloc(0));
});

test("finds all objects below a prefix", async () => {
  assert.equal(
    (await find(["s3://bucket/in/"])).map(({ name }) => name),
    ["s3://bucket/in/a.ndjson", "s3://bucket/in/a.ndjson.old"],
  );
});

test("does not resume reading an object that has changed", async () => {
  const [file] = await find(["s3://bucket/in/a.ndjson"]);
  assert.ok(file);
  etag = '"second"';
  assert.match(await messageOf(() => buffer(open(file, 0))), "has changed since the import began");
});

test("reads local files the same way, and finds all files of a folder", async () => {
  const folder = scratchFolder(TEST_OUTPUT, "import-files");
  mkdirSync(join(folder, "inner"));
  for (const name of ["b.csv", "a.csv"]) writeFileSync(join(folder, name), name);
  const files = await find([folder]);
  assert.equal(
    files.map(({ name }) => name),
    [join(folder, "a.csv"), join(folder, "b.csv")],
  );
  const [file] = files;
  assert.ok(file);
  assert.is(String(await buffer(open(file, 2))), "csv");
  writeFileSync(join(folder, "a.csv"), "b.csv");
  assert.match(await messageOf(() => buffer(open(file, 0))), "has changed since the import began");
  assert.match(await messageOf(() => find([join(folder, "none")])), "cannot be read: ENOENT");
});

async function messageOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

test.run();
