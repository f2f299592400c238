import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import * as assert from "uvu/assert";
import { s3ObjectStore } from "../../../../lib/platform/aws/s3-object-store.ts";
import { scratchFolder } from "../../../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../../../fixtures/env.ts";
import { suite } from "../../../suite.ts";

const test = suite("files that are written in parts");

const folder = scratchFolder(TEST_OUTPUT, "s3-object-store");
test.after(() => rmSync(folder, { recursive: true, force: true }));

const failure = (name: string) => Object.assign(new Error(name), { name });

type Answers = Readonly<Record<string, ReadonlyArray<object>>>;

/** Writes a file of 10 bytes in parts to a bucket that answers each kind of call in turn. Returns the calls and the error. */
async function written(answers: Answers) {
  const sent: string[] = [];
  const parts: string[] = [];
  const aborted: unknown[] = [];
  const client = {
    async send({ constructor: { name }, input }: { constructor: { name: string }; input: { Body?: Readable } }) {
      if (input.Body) parts.push(await text(input.Body));
      const kind = name.replace("Command", "");
      const answer = answers[kind]?.[sent.filter((one) => one === kind).length] ?? {};
      sent.push(kind);
      if (kind === "AbortMultipartUpload") aborted.push(input);
      if (answer instanceof Error) throw answer;
      return kind === "CreateMultipartUpload" ? { UploadId: "u" } : answer;
    },
  } as unknown as Parameters<typeof s3ObjectStore>[0];
  const file = join(folder, "file");
  writeFileSync(file, "0123456789");
  const store = s3ObjectStore(client, "bucket", { put: 4, part: 6 });
  const error = await store.write("key", { file }).then(
    () => undefined,
    (thrown: Error) => thrown.name,
  );
  return { sent: sent.slice(1), parts, aborted, error };
}

const [UploadPart, Complete, Abort, Head] = [
  ...["UploadPart", "CompleteMultipartUpload"],
  ...["AbortMultipartUpload", "HeadObject"],
];
const LOST = [failure("InternalError"), failure("NoSuchUpload")];

test("leave no parts behind when one cannot be written", async () => {
  const { sent, aborted, error } = await written({ UploadPart: [{}, failure("AccessDenied")] });
  assert.equal([sent, error], [[UploadPart, UploadPart, Abort], "AccessDenied"]);
  assert.equal(aborted, [{ Bucket: "bucket", Key: "key", UploadId: "u" }]);
});

test("fail for what failed first if the parts cannot be removed", async () => {
  const { error } = await written({ UploadPart: [failure("AccessDenied")], AbortMultipartUpload: [failure("Denied")] });
  assert.is(error, "AccessDenied");
});

test("are there although the answer to the last call was lost", async () => {
  const answers = { CompleteMultipartUpload: LOST, HeadObject: [{ ContentLength: 10 }] };
  const { sent, parts, error } = await written(answers);
  assert.equal(parts, ["012345", "6789"]);
  assert.equal([sent, error], [[UploadPart, UploadPart, Complete, Complete, Head], undefined]);
});

for (const [what, found] of [
  ["another object", { ContentLength: 9 }],
  ["no object", failure("NotFound")],
  ["an object that cannot be looked at", failure("AccessDenied")],
] as const) {
  test(`are missing if the upload is gone and there is ${what}`, async () => {
    const { sent, error } = await written({ CompleteMultipartUpload: LOST, HeadObject: [found] });
    assert.equal([sent.at(-1), error], [Abort, "NoSuchUpload"]);
  });
}

test("are missing if the upload was gone before, whatever object there is", async () => {
  const { sent, error } = await written({
    CompleteMultipartUpload: [failure("NoSuchUpload")],
    HeadObject: [{ ContentLength: 10 }],
  });
  assert.equal([sent, error], [[UploadPart, UploadPart, Complete, Abort], "NoSuchUpload"]);
});

test.run();
