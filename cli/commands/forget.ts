import type { DeleteItemInput } from "@aws-sdk/client-dynamodb";
import * as v from "valibot";
import { REQUEST_LOGS } from "../../lib/infrastructure/functions.ts";
import { ignoreNotFound } from "../../lib/platform/aws/errors.ts";
import { Failure } from "../../lib/platform/failure.ts";
import { concurrently } from "../../lib/platform/resilience/concurrently.ts";
import { moreKey, recentKey, userKey } from "../../lib/recommendation/clients/built-in-table.ts";
import { BUILT_IN_KEY, ID_COLUMNS } from "../../lib/recommendation/records/tables.ts";
import { defineCommand, resumable } from "../command.ts";
import { confirm } from "../confirm.ts";
import { readSecret } from "../discovery/sdk/secrets.ts";
import { type Forgetting, forget as forgetUser, TITLES } from "../forget/forget.ts";
import { rewriteQueues } from "../forget/rewrite-queues.ts";
import { filled, local, option, yes } from "../options.ts";
import { openProject, type Project, pollMs } from "../project.ts";
import { readTraining } from "../recommendation/status.ts";
import { reading, type Target, targetIn } from "../recommendation/target.ts";
import { bucketExists, emptyBucket, openObjects } from "../state/buckets.ts";

/** Milliseconds between two polls of the data deletion job. */
const POLL_MS = 30_000;

/** `relevance forget`: deletes one user's data; resumes after an interruption. */
export const command = defineCommand({
  example: "relevance forget --user 4711",
  json: true,
  options: {
    user: option(
      "--user <id>",
      "the user's id, as in USER_ID and user_id",
      // The longest id that Personalize accepts.
      v.pipe(filled("needs an id"), v.maxLength(256, "is longer than 256 characters")),
    ),
    ...yes("delete without asking"),
    ...local,
  },
  run: async ({ conf, user, yes, local, json }, context) => {
    const { terminal } = context;
    const project = await openProject({ conf, local }, context);
    const work = await openForgetting(project, user, local);
    terminal.note(
      "Before you continue: stop sending this user's events and wait for event_buffer_seconds. Start no training until this ends.",
    );
    await confirm(terminal, { text: "Delete this user's data for good?", yes });
    const polling = { pollMs: pollMs(POLL_MS, { ...project, isDev: local }), note: terminal.note };
    const done = await resumable(terminal, () => forgetUser({ ...work, ...polling }));
    if (json) terminal.printJson(Object.fromEntries(done.map(({ step, did }) => [step, did])));
    else for (const { step, did } of done) terminal.print(`${TITLES[step]}: ${did}`);
    terminal.note(
      "Earlier versions of rewritten objects expire after 30 days; docs/guides/data.md lists what else expires.",
    );
    if (work.recommendation) terminal.note("Next: relevance train --training-mode update_dataset_group");
  },
});

async function openForgetting(
  project: Project,
  user: string,
  isDev: boolean,
): Promise<Omit<Forgetting, "note" | "pollMs">> {
  const { config, names, sdk } = project;
  const { recommendation } = config;
  const bucket = names.bucket();
  if (!(await reading("s3:ListBucket", bucketExists(sdk, bucket)))) {
    throw new Failure(`There is no bucket ${bucket}: the project is not deployed in this account and region`);
  }
  return {
    user,
    names,
    project: config.project.project_name,
    objects: await openObjects(sdk, bucket),
    purge: (prefix) => emptyBucket(sdk, bucket, () => {}, prefix),
    ...(recommendation && {
      recommendation: recommendationParts(await targetIn(project, recommendation, isDev), user),
    }),
    requestLog: {
      hashKey: () => reading("secretsmanager:GetSecretValue", readSecret(sdk, names.userIdKeyParameter())),
      rewriteQueues: async (isTheirs) => {
        const { SQSClient } = await import("@aws-sdk/client-sqs");
        const kinds = [
          ...(config.searchGateway ? ["search" as const] : []),
          ...(recommendation ? ["recommendation" as const] : []),
        ];
        const queues = kinds.map((kind) => names.queue(REQUEST_LOGS[kind].failed));
        return reading("sqs:ReceiveMessage", rewriteQueues(new SQSClient(sdk), queues, isTheirs));
      },
    },
  };
}

/** Records deleted at the same time. */
const AT_ONCE = 8;

function recommendationParts(target: Target, user: string): NonNullable<Forgetting["recommendation"]> {
  const { names, sdk, personalize, recommendation, terminal } = target;
  if (recommendation.solution.retraining) {
    terminal.note(
      "solution.yaml has `retraining`: if its schedule starts a training meanwhile, this command stops and must be repeated.",
    );
  }
  const ofEngine = (key: string) => ({ TableName: names.table("built-in"), Key: { [BUILT_IN_KEY]: { S: key } } });
  const deleteItems = async (items: readonly Pick<DeleteItemInput, "TableName" | "Key">[]) => {
    const { DeleteItemCommand, DynamoDBClient } = await import("@aws-sdk/client-dynamodb");
    const client = new DynamoDBClient(sdk);
    const deleted = concurrently(items, AT_ONCE, (item) =>
      ignoreNotFound(client.send(new DeleteItemCommand({ ...item, ReturnValues: "ALL_OLD" }))),
    );
    return (await reading("dynamodb:DeleteItem", deleted)).flatMap((one) => (one?.Attributes ? [one.Attributes] : []));
  };
  /** Deletes the histories of the built-in engine. Returns whether there were any. */
  const deleteHistories = async (ids: readonly string[]) => {
    const deleted = await deleteItems(ids.flatMap((id) => [ofEngine(userKey(id)), ofEngine(recentKey(id))]));
    const more = deleted.flatMap(({ KEY, MORE }) => {
      const id = KEY?.S?.slice(userKey("").length) ?? "";
      return Array.from({ length: Number(MORE?.N ?? 0) }, (_, at) => ofEngine(moreKey(id, at + 1)));
    });
    await deleteItems(more);
    return deleted.length > 0;
  };
  return {
    personalize: { send: (command) => reading("personalize:*DataDeletionJob", personalize.send(command)) },
    deleteRecord: async () => {
      const record = { TableName: names.table("users"), Key: { [ID_COLUMNS.user]: { S: user } } };
      const [deleted, hadHistory] = [await deleteItems([record]), await deleteHistories([user])];
      return deleted.length > 0 || hadHistory;
    },
    deleteSessions: async (sessions) => {
      await deleteHistories(sessions);
    },
    refuseTraining: async () => {
      const training = await readTraining(target);
      if (!training?.running) return;
      throw new Failure(
        `The training ${training.run} is running and may have read this user's data: wait until it ends, then run forget again`,
      );
    },
  };
}
