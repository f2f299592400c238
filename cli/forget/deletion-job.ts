import { setTimeout as sleep } from "node:timers/promises";
import { CreateDataDeletionJobCommand, DescribeDataDeletionJobCommand } from "@aws-sdk/client-personalize";
import type { Personalize } from "../../lib/personalize/resources/personalize.ts";
import { ignoreNotFound } from "../../lib/platform/aws/errors.ts";
import { Failure } from "../../lib/platform/failure.ts";
import type { Names } from "../../lib/platform/naming/names.ts";

export interface DeletionJob {
  personalize: Personalize;
  names: Names;
  /** Name of the job. Creating it again joins the existing one. */
  name: string;
  /** Key of the CSV file in the project's bucket. */
  csv: string;
  pollMs: number;
  /** Called when the job exists. */
  onCreated: () => void;
}

/** Personalize ended the job with an error. */
export class DeletionFailed extends Failure {
  override name = "DeletionFailed";
}

/**
 * Removes the users of a CSV file from Personalize's datasets and models, and waits for the end. Returns false if there
 * is no dataset group. Throws DeletionFailed with Personalize's reason.
 */
export async function runDeletionJob({
  personalize,
  names,
  name,
  csv,
  pollMs,
  onCreated,
}: DeletionJob): Promise<boolean> {
  const describe = new DescribeDataDeletionJobCommand({
    dataDeletionJobArn: names.arn("personalize", `data-deletion-job/${name}`),
  });
  // Looks first: while the job runs, creating it again may exceed the limit of simultaneous jobs.
  if (!(await ignoreNotFound(personalize.send(describe)))) {
    const command = new CreateDataDeletionJobCommand({
      jobName: name,
      datasetGroupArn: names.arn("personalize", `dataset-group/${names.datasetGroup()}`),
      dataSource: { dataLocation: `s3://${names.bucket()}/${csv}` },
      roleArn: names.roleArn(names.role("personalize")),
    });
    if (!(await ignoreNotFound(personalize.send(command)))) return false;
  }
  onCreated();
  for (;;) {
    const { dataDeletionJob: job } = await personalize.send(describe);
    if (job?.status === "COMPLETED") return true;
    if (job?.status === "FAILED") {
      throw new DeletionFailed(
        `The data deletion job ${name} failed: ${job.failureReason ?? "Personalize gives no reason"}`,
      );
    }
    await sleep(pollMs);
  }
}
