import type { SFNClient } from "@aws-sdk/client-sfn";
import { type Operation, patientCalls } from "../../aws/call.ts";
import { isNamed } from "../../aws/errors.ts";
import type { Executions } from "./state.ts";

/** Implements Executions with Step Functions. The client must have its own retries turned off. */
export function sfnExecutions(client: SFNClient): Executions {
  const retried = patientCalls(30_000, 6);
  const call = <T>(operation: Operation<T>) =>
    retried(operation).catch((error: unknown) => {
      if (!isNamed(error, "ExecutionDoesNotExist")) throw error;
    });
  const isRunning = async (executionArn: string) => {
    const { DescribeExecutionCommand } = await import("@aws-sdk/client-sfn");
    const found = await call((options) => client.send(new DescribeExecutionCommand({ executionArn }), options));
    // PENDING_REDRIVE counts as running: the execution is about to be redriven.
    return found?.status === "RUNNING" || found?.status === "PENDING_REDRIVE";
  };
  return {
    isRunning,
    async stop(executionArn, error, cause) {
      if (!(await isRunning(executionArn))) return;
      const { StopExecutionCommand } = await import("@aws-sdk/client-sfn");
      await call((options) => client.send(new StopExecutionCommand({ executionArn, error, cause }), options));
    },
  };
}
