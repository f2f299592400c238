// A bucket for Terraform's state that exists and belongs to somebody else's rules.
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  CreateBucketCommand,
  GetBucketEncryptionCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetPublicAccessBlockCommand,
  PutBucketEncryptionCommand,
  PutBucketPolicyCommand,
  PutPublicAccessBlockCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { testProject } from "./project.ts";

const test = suite("init-state with a bucket that exists");

const cloud = await sharedCloud();
const account = await seedAccount(cloud);
const folder = scratchFolder(TEST_OUTPUT, "adopt-state");
test.after(() => rmSync(folder, { recursive: true, force: true }));
const name = `adopt-${process.pid}`;
const Bucket = `${name}-state`;
const project = await testProject({
  folder: join(folder, name),
  cloud,
  account,
  configuration: "minimal",
  name,
  changes: [["project.yaml", ["terraform"], { state: { type: "s3", bucket: Bucket, region: cloud.region } }]],
});
const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });

/** Somebody's statement, with the id that ours would have. */
const THEIRS = {
  Sid: "TlsOnly",
  Effect: "Deny",
  Principal: "*",
  Action: "s3:DeleteObject",
  Resource: `arn:aws:s3:::${Bucket}/*`,
  Condition: { StringNotEquals: { "aws:PrincipalAccount": cloud.accountId } },
};
const KEY = `arn:aws:kms:eu-west-1:${cloud.accountId}:key/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f`;
const PARTS = { BlockPublicAcls: true, IgnorePublicAcls: true, BlockPublicPolicy: false, RestrictPublicBuckets: false };

async function settings() {
  const { ServerSideEncryptionConfiguration } = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
  return {
    versioning: (await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status,
    encryption: ServerSideEncryptionConfiguration?.Rules?.map(({ ApplyServerSideEncryptionByDefault }) => [
      ApplyServerSideEncryptionByDefault?.SSEAlgorithm,
      ApplyServerSideEncryptionByDefault?.KMSMasterKeyID,
    ]),
    statements: JSON.parse((await s3.send(new GetBucketPolicyCommand({ Bucket }))).Policy ?? "{}").Statement,
    access: (await s3.send(new GetPublicAccessBlockCommand({ Bucket }))).PublicAccessBlockConfiguration,
  };
}

const LACKS = [
  "  versioning, which is off",
  "  a statement in its policy that denies access without TLS",
  "  the block of public access (BlockPublicPolicy, RestrictPublicBuckets)",
].join("\n");

test("refuses it, says what it lacks, and changes nothing", async () => {
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: "eu-west-1" } }));
  const Policy = JSON.stringify({ Version: "2012-10-17", Id: "theirs", Statement: [THEIRS] });
  await s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
  await s3.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: PARTS }));
  const ApplyServerSideEncryptionByDefault = { SSEAlgorithm: "aws:kms", KMSMasterKeyID: KEY } as const;
  await s3.send(
    new PutBucketEncryptionCommand({
      Bucket,
      ServerSideEncryptionConfiguration: { Rules: [{ ApplyServerSideEncryptionByDefault }] },
    }),
  );
  const before = await settings();
  const { err, code } = await project.relevance("init-state");
  assert.match(err, `Bucket ${Bucket} exists, and nothing of it was changed. It lacks\n${LACKS}\n`);
  assert.match(err, "init-state --adopt");
  assert.is(code, 1);
  assert.equal(await settings(), before);
});

test("adopts it with --adopt: adds exactly that, and keeps its statements and its key", async () => {
  const { out, err } = await project.succeeds("init-state", "--adopt");
  assert.match(err, `Bucket ${Bucket} exists. To it are added\n${LACKS}\n`);
  assert.match(out, `${Bucket} in eu-west-1: adopted; versioned, encrypted, no public access, TLS only`);
  const { versioning, encryption, statements, access } = await settings();
  assert.is(versioning, "Enabled");
  assert.equal(encryption, [["aws:kms", KEY]]);
  assert.equal(Object.values(access ?? {}), [true, true, true, true]);
  const [theirs, ours, ...more] = statements;
  assert.equal([theirs, more], [THEIRS, []]);
  assert.equal(
    [ours.Sid, ours.Action, ours.Condition],
    [undefined, "s3:*", { Bool: { "aws:SecureTransport": "false" } }],
  );
});

test("has nothing to adopt afterwards, with or without --adopt", async () => {
  const before = await settings();
  for (const args of [[], ["--adopt"]]) {
    const { out } = await project.succeeds("init-state", ...args);
    assert.match(out, `${Bucket} in eu-west-1: already exists; versioned`);
  }
  assert.equal(await settings(), before);
});

test.run();
