import type { SFNClient } from "@aws-sdk/client-sfn";
import { isTransient } from "../../aws/errors.ts";
import { deadlineIn } from "../../core/resilience/deadline.ts";
import { retry } from "../../core/resilience/retry.ts";
import type { Executions } from "./state.ts";

/** Implements Executions with Step Functions. The client must have its own retries turned off. */
export function sfnExecutions(client: SFNClient): Executions {
  const call = async <T>(operation: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await retry(operation, { deadline: deadlineIn(30_000), retryable: isTransient, attempts: 6 });
    } catch (error) {
      if (error instanceof Error && error.name === "ExecutionDoesNotExist") return undefined;
      throw error;
    }
  };
  const isRunning = async (executionArn: string) => {
    const { DescribeExecutionCommand } = await import("@aws-sdk/client-sfn");
    const found = await call(() => client.send(new DescribeExecutionCommand({ executionArn })));
    // PENDING_REDRIVE counts as running: the execution is about to be redriven.
    return found?.status === "RUNNING" || found?.status === "PENDING_REDRIVE";
  };
  return {
    isRunning,
    async stop(executionArn, error, cause) {
      if (!(await isRunning(executionArn))) return;
      const { StopExecutionCommand } = await import("@aws-sdk/client-sfn");
      await call(() => client.send(new StopExecutionCommand({ executionArn, error, cause })));
    },
  };
}
