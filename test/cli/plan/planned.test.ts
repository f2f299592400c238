import * as assert from "uvu/assert";
import { refuseKeyChange } from "../../../cli/plan/planned.ts";
import { Failure } from "../../../lib/platform/failure.ts";
import { suite } from "../../suite.ts";

const test = suite("a plan that changes the encryption key");

const OLD = "arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f";
const NEW = "arn:aws:kms:eu-west-1:123456789012:key/ffffffff-0000-4000-8000-1a2b3c4d5e6f";

const encryption = (kms_master_key_id: string | null) => ({
  rule: [{ apply_server_side_encryption_by_default: [{ kms_master_key_id, sse_algorithm: "aws:kms" }] }],
});

/** Returns a plan that changes the encryption of the bucket. */
const planned = (actions: string[], before: object | null, after: object, type = BUCKET) => [
  {
    plan: {
      resource_changes: [
        { address: `${type}.bucket-encryption`, type, mode: "managed", change: { actions, before, after } },
      ],
    },
  },
];
const BUCKET = "aws_s3_bucket_server_side_encryption_configuration";

test("is rejected with a message that names the key to restore", () => {
  assert.throws(
    () => refuseKeyChange(planned(["update"], encryption(OLD), encryption(NEW)) as never),
    (error: unknown) =>
      error instanceof Failure &&
      error.message.startsWith(`The project's data is encrypted with ${OLD}. aws.kms_key_arn in project.yaml`),
  );
});

test("accepts a first deployment, another change of the bucket, and a change of another resource", () => {
  for (const plan of [
    planned(["create"], null, encryption(NEW)),
    planned(["update"], encryption(OLD), { ...encryption(OLD), bucket_key_enabled: true }),
    planned(["update"], encryption(OLD), encryption(NEW), "aws_s3_bucket"),
  ]) {
    assert.not.throws(() => refuseKeyChange(plan as never));
  }
});

test.run();
