import { randomUUID } from "node:crypto";
import { type Project, pollMs } from "../project.ts";
import { followExecution, POLL_MS, startExecution } from "./follow-execution.ts";
import { trainingState } from "./target.ts";

/**
 * Removes everything that training created. Starts the teardown state machine, which stops the running training and
 * then deletes campaigns and solutions, and follows it. Does nothing if the state machine is not deployed. Throws
 * Failure with the reason if the teardown fails.
 */
export async function runTeardown({
  sdk,
  terminal,
  env,
  names,
}: Pick<Project, "sdk" | "terminal" | "env" | "names">): Promise<void> {
  const { SFNClient } = await import("@aws-sdk/client-sfn");
  const sfn = new SFNClient({ ...sdk, maxAttempts: 3 });
  const name = `teardown-${randomUUID().slice(0, 8)}`;
  const started = await startExecution("teardown", { sfn, names }, name, {});
  if (!started) return;
  terminal.note(
    "Training is stopped, campaigns and solutions are removed: Personalize can take half an hour. " +
      "Ctrl-C leaves it running; the same command resumes it.",
  );
  await followExecution("teardown", started, {
    sfn,
    state: await trainingState({ sdk, names }),
    note: terminal.note,
    intervalMs: pollMs(POLL_MS, { env }),
  });
}
