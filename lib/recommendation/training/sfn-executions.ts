import type { SFNClient } from "@aws-sdk/client-sfn";
import { isTransient } from "../../aws/errors.ts";
import { deadlineIn } from "../../core/resilience/deadline.ts";
import { retry } from "../../core/resilience/retry.ts";
import type { Executions } from "./state.ts";

/** Step Functions as Executions. The client is made without retries of its own. */
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
    // One that was failed on purpose may be redriven: PENDING_REDRIVE counts as running.
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
