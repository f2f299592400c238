/** Permissions of the commands that read or change what is stored of users, which nobody else needs. */
import { REQUEST_LOGS } from "../../lib/infrastructure/functions.ts";
import { type Statement, tagPersonalizeResources } from "../../lib/platform/aws/iam-statement.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { RESTORABLE } from "../recommendation/restore.ts";
import { keysOf, statement } from "./statement.ts";

/** Returns the permissions to read and write users and items. */
export function restoring({ project, recommendation }: Configuration, names: Names): Statement[] {
  if (!recommendation) return [];
  const tables = RESTORABLE.flatMap((name) => ["", "-at-*"].map((end) => `table/${names.table(name)}${end}`));
  const keys = keysOf(project, names);
  const items = ["BatchGetItem", "BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"];
  return [
    statement(
      "RestoreTables",
      ["RestoreTableToPointInTime", ...items].map((action) => `dynamodb:${action}`),
      tables.map((table) => names.arn("dynamodb", table)),
    ),
    {
      ...statement("RestoreEncrypted", ["kms:ReEncryptFrom", "kms:ReEncryptTo"], keys.resources),
      conditions: {
        StringEquals: { ...keys.conditions?.StringEquals, "kms:ViaService": names.viaService("dynamodb") },
      },
    },
  ];
}

/** Returns the permissions to read records and to let Personalize make lists. */
export function batching({ project, recommendation }: Configuration, names: Names): Statement[] {
  if (!recommendation) return [];
  const tables = (["users", "items", "built-in", "popular-items"] as const).map((name) =>
    names.arn("dynamodb", `table/${names.table(name)}`),
  );
  return [
    statement("ReadRecords", ["dynamodb:BatchGetItem", "dynamodb:GetItem"], tables),
    statement("WriteLists", ["s3:AbortMultipartUpload", "s3:PutObject"], [`${names.bucketArn()}/${PREFIXES.batch}*`]),
    { ...statement("WriteEncrypted", ["kms:GenerateDataKey"], ["*"]), ...keysOf(project, names) },
    statement(
      "MakeBatches",
      ["personalize:CreateBatchInferenceJob"],
      [names.arn("personalize", `batch-inference-job/${names.datasetGroup()}-*`)],
    ),
    passPersonalizesRole(names),
    tagPersonalizeResources(["TagResource"], project.aws.region_name),
  ];
}

/** Returns the permissions to rewrite what is stored of users. */
export function forgetting({ project, recommendation }: Configuration, names: Names): Statement[] {
  const bucket = names.bucketArn();
  const rewriting = ["AbortMultipartUpload", "DeleteObjectVersion", "PutObject"];
  const tables = (["users", "built-in"] as const).map((name) => names.arn("dynamodb", `table/${names.table(name)}`));
  return [
    statement(
      "RewriteObjects",
      rewriting.map((one) => `s3:${one}`),
      [PREFIXES.batch, PREFIXES.deliveryErrors, PREFIXES.etl, PREFIXES.events, PREFIXES.forget, PREFIXES.logs].map(
        (prefix) => `${bucket}/${prefix}*`,
      ),
    ),
    statement(
      "RewriteQueues",
      ["ChangeMessageVisibility", "DeleteMessage", "GetQueueUrl", "ReceiveMessage", "SendMessage"].map(
        (action) => `sqs:${action}`,
      ),
      Object.values(REQUEST_LOGS).map(({ failed }) => names.arn("sqs", names.queue(failed))),
    ),
    statement("ListVersions", ["s3:ListBucketVersions"], [bucket]),
    { ...statement("WriteEncrypted", ["kms:GenerateDataKey"], ["*"]), ...keysOf(project, names) },
    statement(
      "ReadUserIdKey",
      ["secretsmanager:GetSecretValue"],
      // Without its suffix where there is no such secret.
      [names.arn("secretsmanager", `secret:${names.userIdKeyParameter()}*`)],
    ),
    ...(recommendation
      ? [
          statement("DeleteRecords", ["dynamodb:DeleteItem"], tables),
          statement(
            "DeleteInPersonalize",
            ["personalize:CreateDataDeletionJob"],
            [names.arn("personalize", "data-deletion-job/*")],
          ),
          statement(
            "ReadTraining",
            ["states:DescribeExecution"],
            [names.arn("states", `execution:${project.project_name}-*`)],
          ),
          passPersonalizesRole(names),
        ]
      : []),
  ];
}

const passPersonalizesRole = (names: Names): Statement => ({
  ...statement("PassTheRole", ["iam:PassRole"], [names.roleArn(names.role("personalize"))]),
  conditions: { StringEquals: { "iam:PassedToService": "personalize.amazonaws.com" } },
});
