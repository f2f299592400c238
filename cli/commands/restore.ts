import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { defineCommand, resumable } from "../command.ts";
import { confirm } from "../confirm.ts";
import { option, yes } from "../options.ts";
import { pollMs } from "../project.ts";
import { RESTORABLE, restorableTimes, restoreTable } from "../recommendation/restore.ts";
import { openTarget, reading } from "../recommendation/target.ts";

/** Milliseconds between two polls of the table that AWS restores. */
const POLL_MS = 20_000;

/** ISO 8601 with seconds, and Z or an offset. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/;

/** `relevance restore`: makes a table what it was at a time; resumes after an interruption. */
export const command = defineCommand({
  example: "relevance restore --table items --at 2026-11-25T09:30:00Z",
  json: true,
  options: {
    table: option("--table <name>", "what to restore", v.picklist(RESTORABLE), { choices: RESTORABLE }),
    at: option(
      "--at <time>",
      "a time in the last 35 days, with seconds and Z or an offset",
      v.pipe(v.string(), v.regex(TIME, "must be a time such as 2026-11-25T09:30:00Z")),
    ),
    ...yes("restore without asking"),
  },
  run: async ({ conf, table, at: text, yes, json }, context) => {
    const { terminal, env } = context;
    const at = new Date(text);
    if (Number.isNaN(at.getTime())) throw new UsageError(`--at: ${text} is not a time`);
    const { names, sdk } = await openTarget({ conf, local: false }, context);
    const { DynamoDBClient } = await import("@aws-sdk/client-dynamodb");
    const dynamo = new DynamoDBClient({ ...sdk, maxAttempts: 3 });
    const of = { dynamo, names, table };
    const [earliest, latest] = await reading("dynamodb:DescribeContinuousBackups", restorableTimes(of));
    if (at < earliest || at > latest) {
      throw new Failure(
        `${names.table(table)} can be restored to a time from ${earliest.toISOString()} to ${latest.toISOString()}`,
      );
    }
    terminal.note(
      `Before you continue: stop uploads of ${table}. What was written after ${at.toISOString()} is undone, also what ` +
        "`relevance forget` deleted: run it again for these users.",
    );
    await confirm(terminal, { text: `Make ${names.table(table)} what it was?`, yes });
    const work = {
      ...of,
      at,
      pollMs: pollMs(POLL_MS, { env }),
      note: (line: string) => terminal.note(line),
      wait: sleep,
    };
    const done = await resumable(terminal, () => reading("dynamodb:RestoreTableToPointInTime", restoreTable(work)));
    if (json) terminal.printJson(done);
    else terminal.print(`written: ${done.written}, deleted: ${done.deleted}, unchanged: ${done.unchanged}`);
    terminal.note("Next: relevance train, so that Personalize has these records too.");
  },
});
