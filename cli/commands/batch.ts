import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { openDocument } from "../../lib/platform/aws/documents.ts";
import { Failure, rethrown, UsageError } from "../../lib/platform/failure.ts";
import { needsPage, questionsOf } from "../../lib/recommendation/batch/questions.ts";
import { CONFIGURED_PLACEMENTS } from "../../lib/recommendation/placements/configured.ts";
import { SampleError } from "../../lib/recommendation/schema/row.ts";
import { type Context, confOf, defineCommand, resumable } from "../command.ts";
import { bucketAnywhere } from "../gateway/s3-files.ts";
import { filled, local, option } from "../options.ts";
import { openSession } from "../project.ts";
import { runBatch } from "../recommendation/batch.ts";
import { batchServices, filterArnOf } from "../recommendation/batch-services.ts";
import { openTarget, reading } from "../recommendation/target.ts";

/** Milliseconds between two polls of the jobs. */
const POLL_MS = { aws: 30_000, local: 200 };

/** `relevance batch`: makes the lists of a placement for many users by batch inference jobs. */
export const command = defineCommand({
  example: "relevance batch --placement newsletter --users s3://my-bucket/subscribers.csv",
  json: true,
  options: {
    placement: option("--placement <name>", "a placement that is in use", filled("needs a name")),
    users: option(
      "--users <file>",
      "users, CSV or JSON with USER_ID: a file, or s3://bucket/key",
      filled("needs a file"),
    ),
    ...local,
  },
  run: async ({ conf, placement: name, users, local, json }, context) => {
    const { terminal, env } = context;
    const pollMs = local || env.AWS_ENDPOINT_URL ? POLL_MS.local : POLL_MS.aws;
    const { batch, open } = await openBatch({ conf, local, name }, context);
    const patience = { wait: () => sleep(pollMs), note: terminal.note };
    const made = await resumable(terminal, () =>
      withFile(users, open, (file) =>
        rethrown(SampleError, Failure, () => runBatch({ ...batch, users: file, patience })),
      ),
    );
    if (json) terminal.printJson(made);
    else terminal.print(made.location);
    const { users: count, degraded, failed } = made;
    terminal.note(`${count} lists, ${degraded} of them degraded; ${failed} users without a list: each line says why.`);
  },
});

async function openBatch({ conf, local, name }: { conf: string; local: boolean; name: string }, context: Context) {
  const target = await openTarget({ conf, local }, context);
  const { config } = await openSession(confOf({ conf, local }), context);
  const { names, sdk, recommendation } = target;
  const current = await openDocument(CONFIGURED_PLACEMENTS, { sdk, bucket: names.bucket() }).read();
  const content = current?.value ?? [];
  const placement = content.find((one) => one.name === name);
  if (!current || !placement) {
    const known = content.map((one) => one.name).join(", ") || "none";
    throw new UsageError(`--placement: there is no placement ${name} in use; there are: ${known}`);
  }
  const problem = needsPage(placement);
  if (problem !== undefined) throw new UsageError(`--placement: ${problem}`);
  const [{ DynamoDBClient }, { S3Client }, { s3ObjectStore }] = await Promise.all([
    import("@aws-sdk/client-dynamodb"),
    import("@aws-sdk/client-s3"),
    import("../../lib/platform/aws/s3-object-store.ts"),
  ]);
  const dynamo = new DynamoDBClient({ ...sdk, maxAttempts: 1 });
  const s3 = new S3Client({ ...sdk, maxAttempts: 1 });
  const { version } = current.version;
  const services = batchServices({ ...config, recommendation }, names, dynamo, { version, content });
  return {
    batch: {
      services,
      placement: name,
      version,
      questions: questionsOf(placement, services.settings, filterArnOf(names)),
      names,
      personalize: {
        send: (command) => reading("personalize:*BatchInferenceJob, iam:PassRole", target.personalize.send(command)),
      } as typeof target.personalize,
      objects: s3ObjectStore(s3, names.bucket()),
      tags: config.project.aws.tags,
    },
    open: (bucket: string) => bucketAnywhere(sdk, bucket),
  };
}

/** Calls `work` with a local file: the given one, or a copy of an object of S3. */
async function withFile<T>(
  place: string,
  open: Awaited<ReturnType<typeof openBatch>>["open"],
  work: (file: string) => Promise<T>,
): Promise<T> {
  const [, bucket, key = ""] = /^s3:\/\/([^/]+)\/(.+)$/.exec(place) ?? [];
  if (bucket === undefined) return work(place);
  const folder = mkdtempSync(join(tmpdir(), "relevance-users-"));
  try {
    const body = await reading("s3:GetObject", (await open(bucket)).read(key));
    if (!body) throw new Failure(`There is no object ${place}`);
    const file = join(folder, basename(key));
    await pipeline(body, createWriteStream(file));
    return await work(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
