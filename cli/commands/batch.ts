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
import { defineCommand, resumable } from "../command.ts";
import { filled, local, option } from "../options.ts";
import { pollMs } from "../project.ts";
import { runBatch } from "../recommendation/batch.ts";
import { batchServices, filterArnOf } from "../recommendation/batch-services.ts";
import { openTarget, reading, type Target } from "../recommendation/target.ts";
import { openObjects } from "../state/buckets.ts";

/** Milliseconds between two polls of the jobs. */
const POLL_MS = 30_000;

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
    const { terminal } = context;
    const target = await openTarget({ conf, local }, context);
    const batch = await openBatch(target, name);
    const patience = { wait: () => sleep(pollMs(POLL_MS, target)), note: terminal.note };
    const made = await resumable(terminal, () =>
      withFile(users, target.sdk, (file) =>
        rethrown(SampleError, Failure, () => runBatch({ ...batch, users: file, patience })),
      ),
    );
    if (json) terminal.printJson(made);
    else terminal.print(made.location);
    const { users: count, degraded, failed } = made;
    terminal.note(`${count} lists, ${degraded} of them degraded; ${failed} users without a list: each line says why.`);
  },
});

async function openBatch(target: Target, name: string) {
  const { config, names, sdk, recommendation } = target;
  const current = await openDocument(CONFIGURED_PLACEMENTS, { sdk, bucket: names.bucket() }).read();
  const content = current?.value ?? [];
  const placement = content.find((one) => one.name === name);
  if (!current || !placement) {
    const known = content.map((one) => one.name).join(", ") || "none";
    throw new UsageError(`--placement: there is no placement ${name} in use; there are: ${known}`);
  }
  const problem = needsPage(placement);
  if (problem !== undefined) throw new UsageError(`--placement: ${problem}`);
  const { DynamoDBClient } = await import("@aws-sdk/client-dynamodb");
  const dynamo = new DynamoDBClient({ ...sdk, maxAttempts: 1 });
  const { version } = current.version;
  const services = batchServices({ ...config, recommendation }, names, dynamo, { version, content });
  return {
    services,
    placement: name,
    version,
    questions: questionsOf(placement, services.settings, filterArnOf(names)),
    names,
    personalize: {
      send: (command) => reading("personalize:*BatchInferenceJob, iam:PassRole", target.personalize.send(command)),
    } as Target["personalize"],
    objects: await openObjects(sdk, names.bucket()),
    tags: config.project.aws.tags,
  };
}

/** Calls `work` with a local file: the given one, or a copy of an object of S3. */
async function withFile<T>(place: string, sdk: Target["sdk"], work: (file: string) => Promise<T>): Promise<T> {
  const [, bucket, key = ""] = /^s3:\/\/([^/]+)\/(.+)$/.exec(place) ?? [];
  if (bucket === undefined) return work(place);
  const folder = mkdtempSync(join(tmpdir(), "relevance-users-"));
  try {
    // It may be in another region than the project.
    const objects = await openObjects({ ...sdk, followRegionRedirects: true }, bucket);
    const body = await reading("s3:GetObject", objects.read(key));
    if (!body) throw new Failure(`There is no object ${place}`);
    const file = join(folder, basename(key));
    await pipeline(body, createWriteStream(file));
    return await work(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
