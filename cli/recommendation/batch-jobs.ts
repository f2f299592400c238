import {
  CreateBatchInferenceJobCommand,
  type CreateBatchInferenceJobRequest,
  DescribeBatchInferenceJobCommand,
} from "@aws-sdk/client-personalize";
import { ifNew, type Personalize } from "../../lib/personalize/resources/personalize.ts";
import { ignoreNotFound } from "../../lib/platform/aws/errors.ts";
import { Failure } from "../../lib/platform/failure.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { isCrowded } from "../../lib/recommendation/training/imports.ts";

/** Steps of Personalize that take time. */
export interface Patience {
  wait: () => Promise<unknown>;
  note: (line: string) => void;
}

/** Attempts under names of their own, since a job keeps its name when it fails and when its output expires. */
const MAX_ATTEMPTS = 20;

/**
 * Creates the job, or joins one of this name that has not failed, and waits for its end. Waits as well while the account has as
 * many jobs as it may. `hasOutput` says whether the output is there. Throws Failure with Personalize's reason.
 */
export async function runBatchJob(
  personalize: Personalize,
  names: Names,
  job: CreateBatchInferenceJobRequest & { jobName: string },
  { wait, note }: Patience,
  hasOutput: () => Promise<boolean>,
): Promise<void> {
  let begun: string | undefined;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; ) {
    const jobName = attempt === 1 ? job.jobName : `${job.jobName}-${attempt}`;
    const batchInferenceJobArn = names.arn("personalize", `batch-inference-job/${jobName}`);
    const described = personalize.send(new DescribeBatchInferenceJobCommand({ batchInferenceJobArn }));
    const found = (await ignoreNotFound(described))?.batchInferenceJob;
    if (found?.status === "ACTIVE") {
      if (await hasOutput()) return;
      // That of an old run, whose objects have expired.
      attempt += 1;
      continue;
    }
    if (found?.status === "CREATE FAILED") {
      const reason = found.failureReason ?? "Personalize gives no reason";
      if (begun === jobName) throw new Failure(`The batch inference job ${jobName} failed: ${reason}`);
      attempt += 1;
      continue;
    }
    if (!found) {
      try {
        await ifNew(personalize.send(new CreateBatchInferenceJobCommand({ ...job, jobName })));
        note(`Batch inference job ${jobName}: created`);
        begun = jobName;
      } catch (error) {
        if (!isCrowded(error)) throw error;
      }
    } else {
      if (begun === undefined) note(`Batch inference job ${jobName}: joined, ${found.status}`);
      begun = jobName;
    }
    await wait();
  }
  throw new Failure(
    `${MAX_ATTEMPTS} jobs named ${job.jobName} have failed or lost their output: see them in Personalize's console`,
  );
}
