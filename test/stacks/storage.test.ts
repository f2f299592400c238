import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { changed, fullExample, valid } from "../lib/settings/example.ts";
import { suite } from "../suite.ts";
import { example, ref, type Stack, synth } from "./support.ts";

const test = suite("stacks: storage");

const GUIDE = readFileSync("docs/guides/platform.md", "utf8");

const all = example("storage", "all-options");
const both = synth("storage", {
  config: valid(changed(fullExample(), "project.yaml", ["aws", "kms_key_arn"], undefined)),
});

interface PolicyStatement {
  Sid: string;
  Effect: string;
  Action: string | string[];
  Resource: string | string[];
  Principal: { Service?: string[] | string };
  Condition?: unknown;
}

const statements = (stack: Stack, type: string, id: string): PolicyStatement[] =>
  JSON.parse(stack.resource<{ policy: string }>(type, id).policy).Statement;
const services = (stack: Stack, type: string, id: string) =>
  statements(stack, type, id).flatMap(({ Principal }) => Principal.Service ?? []);

test("makes the bucket versioned, encrypted with the project's key, and closed to the public", () => {
  const versioning = all.resource<{ versioning_configuration: unknown }>(
    "aws_s3_bucket_versioning",
    "bucket-versioning",
  );
  assert.equal(versioning.versioning_configuration, { status: "Enabled" });
  const encryption = all.resource<{ rule: Array<{ apply_server_side_encryption_by_default: unknown }> }>(
    "aws_s3_bucket_server_side_encryption_configuration",
    "bucket-encryption",
  );
  assert.equal(encryption.rule[0]?.apply_server_side_encryption_by_default, {
    kms_master_key_id: ref("aws_kms_key.key.arn"),
    sse_algorithm: "aws:kms",
  });
  const { bucket: _, ...access } = all.resource("aws_s3_bucket_public_access_block", "bucket-public-access");
  assert.equal(access, {
    block_public_acls: true,
    block_public_policy: true,
    ignore_public_acls: true,
    restrict_public_buckets: true,
  });
});

test("denies requests to the bucket without TLS", () => {
  const bucket = "arn:aws:s3:::all-options-relevance-123456789012-eu-west-1";
  assert.equal(statements(all, "aws_s3_bucket_policy", "bucket-policy"), [
    {
      Sid: "TlsOnly",
      Effect: "Deny",
      Principal: "*",
      Action: "s3:*",
      Resource: [bucket, `${bucket}/*`],
      Condition: { Bool: { "aws:SecureTransport": "false" } },
    },
  ]);
});

test("rotates the key, and lets alarms use it for their topic", () => {
  assert.is(all.resource<{ enable_key_rotation: boolean }>("aws_kms_key", "key").enable_key_rotation, true);
  assert.equal(services(all, "aws_kms_key", "key"), ["cloudwatch.amazonaws.com"]);
});

test("lets Personalize read only ETL's output and use the folder of batches, if the recommendation service is enabled", () => {
  assert.equal(services(both, "aws_kms_key", "key"), ["cloudwatch.amazonaws.com", "personalize.amazonaws.com"]);
  const own = statements(both, "aws_s3_bucket_policy", "bucket-policy").filter(({ Effect }) => Effect === "Allow");
  const bucket = "arn:aws:s3:::my-project-relevance-123456789012-eu-west-1";
  assert.equal(
    own.map(({ Action, Resource, Condition }) => [Action, Resource, Condition]),
    [
      ["s3:ListBucket", bucket, { StringEquals: { "aws:SourceAccount": "123456789012" } }],
      ["s3:GetObject", `${bucket}/etl/*`, { StringEquals: { "aws:SourceAccount": "123456789012" } }],
      [
        ["s3:GetObject", "s3:PutObject"],
        `${bucket}/batch/*`,
        { StringEquals: { "aws:SourceAccount": "123456789012" } },
      ],
    ],
  );
});

// Source: Personalize Developer Guide, "Giving Amazon Personalize permission to use your AWS KMS key".
test("lets Personalize and its role, which the key cannot name before it exists, use the key and create grants", () => {
  const minimum = ["kms:Decrypt", "kms:GenerateDataKey", "kms:DescribeKey", "kms:CreateGrant", "kms:ListGrants"];
  const granted = statements(both, "aws_kms_key", "key").filter(({ Sid }) => Sid.startsWith("Personalize"));
  assert.equal(
    granted.map(({ Principal, Action, Condition }) => [Principal, Action, Condition]),
    [
      [{ Service: ["personalize.amazonaws.com"] }, minimum, { StringEquals: { "aws:SourceAccount": "123456789012" } }],
      [
        { AWS: "*" },
        minimum,
        {
          StringEquals: { "kms:CallerAccount": "123456789012" },
          ArnEquals: {
            "aws:PrincipalArn": "arn:aws:iam::123456789012:role/teams/search/my-project-personalize-eu-west-1",
          },
        },
      ],
    ],
  );
  assert.equal(
    statements(all, "aws_kms_key", "key").map(({ Sid }) => Sid),
    ["Account", "AlarmsToTopics"],
  );
  // A key of the user's own needs the same statements.
  const [, shown = "[]"] = /## The policy of your key[\s\S]*?```json\n([\s\S]*?)```/.exec(GUIDE) ?? [];
  const guide: PolicyStatement[] = JSON.parse(shown);
  for (const { Sid, Action, Condition } of granted) {
    const own = guide.find((one) => one.Sid === Sid);
    assert.equal(own?.Action, Action, Sid);
    assert.equal(Object.keys(own?.Condition ?? {}), Object.keys(Condition ?? {}), Sid);
  }
});

test("deletes the marker that is left of an expired object", () => {
  const { rule } = all.resource<{ rule: Array<{ id: string; expiration?: unknown }> }>(
    "aws_s3_bucket_lifecycle_configuration",
    "bucket-lifecycle",
  );
  const versions = rule.find(({ id }) => id === "earlier-versions");
  assert.equal(versions?.expiration, [{ expired_object_delete_marker: true }]);
});

test("deletes the request log after logging.retention_days", () => {
  const { rule } = all.resource<{ rule: Array<{ id: string; filter: unknown; expiration?: unknown }> }>(
    "aws_s3_bucket_lifecycle_configuration",
    "bucket-lifecycle",
  );
  const log = rule.find(({ id }) => id === "request-log");
  assert.equal([log?.filter, log?.expiration], [[{ prefix: "logs/" }], [{ days: 45 }]]);
});

test("deletes events and their ETL output after event_retention_days if set, runs after run_retention_days", () => {
  const rules = (stack: typeof all) =>
    stack.resource<{ rule: Array<{ id: string; filter: [{ prefix?: string }]; expiration?: [{ days: number }] }> }>(
      "aws_s3_bucket_lifecycle_configuration",
      "bucket-lifecycle",
    ).rule;
  const expiry = (stack: typeof all) =>
    Object.fromEntries(
      rules(stack).flatMap(({ filter, expiration }) =>
        filter[0].prefix ? [[filter[0].prefix, expiration?.[0].days]] : [],
      ),
    );
  const { "events/": events, "etl/days/": transformed, "etl/run=": runs } = expiry(both);
  assert.equal([events, transformed, runs], [400, 400, 90]);
  assert.equal(Object.keys(expiry(synth("storage", { config: recommendation() }))), [
    "etl/run=",
    "batch/",
    "logs/",
    "errors/",
    "athena/",
  ]);
});

test("has no configuration files: deploy itself writes them", () => {
  assert.equal(all.ids("aws_s3_object"), []);
});

test("creates the secret for user ids only for hmac, and without a value", () => {
  const secret = all.resource<{ name: string; recovery_window_in_days: number }>(
    "aws_secretsmanager_secret",
    "user-id-key",
  );
  assert.equal([secret.name, secret.recovery_window_in_days], ["/relevance/all-options/search-gateway/user-id-key", 0]);
  assert.equal(all.ids("aws_secretsmanager_secret_version"), []);
  assert.equal(example("storage", "minimal").ids("aws_secretsmanager_secret"), []);
});

test("creates the secret for API keys only if callers have keys and keys_to says so", () => {
  const secrets = (...changes: Parameters<typeof example>[2] & object) =>
    example("storage", "minimal", changes).ids("aws_secretsmanager_secret");
  assert.equal(secrets(["api.yaml", ["keys_to"], "secretsmanager"]), ["api-keys"]);
  assert.equal(secrets(["api.yaml", ["keys_to"], "secretsmanager"], ["api.yaml", ["authorization"], "iam"]), []);
});

test("rejects every plan that would delete the bucket or the key", () => {
  for (const [type, id] of [
    ["aws_s3_bucket", "bucket"],
    ["aws_kms_key", "key"],
  ] as const) {
    assert.equal(all.resource(type, id).lifecycle, { prevent_destroy: true }, type);
  }
});

test.run();
