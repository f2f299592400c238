import { retriesOf, type State, TASK_SECONDS, taskState } from "../../aws/lambda-task.ts";

/** The resources that the state machine uses. */
export interface StateMachineParts {
  /** ARN of the ETL function's alias. */
  functionArn: string;
  bucket: string;
  /** The number of concurrent calls in each map step. */
  maxConcurrency: number;
}

/** States to embed in a state machine. `startAt` is the first one. */
export interface States {
  startAt: string;
  states: Readonly<Record<string, State>>;
}

/** Two retries. They are safe because a repeated step has the same result. */
const RETRY = retriesOf("EtlError", { MaxAttempts: 2, BackoffRate: 2 });

/**
 * Returns the states of ETL, for a state machine whose input has `mode` (`init` or `update_dataset_group`) and `checks`
 * (a list of `{name, event_type?, event_value_threshold?}`). The last state continues with `next`, or ends the
 * execution. The run is named after the execution. Results are under `$.etl`. The last one is
 * `{interactions, rejected}`.
 *
 * The states use only JSONPath, and JSON as the source of maps, which both Step Functions and the local interpreter
 * support. The maps tolerate every failure. The step after each finds out which items failed and why, and then fails
 * the run.
 */
export function etlStates(parts: StateMachineParts, next?: string): States {
  const call = (task: string, payload: object, ...results: string[]): State => {
    const ResultSelector = Object.fromEntries(results.map((name) => [`${name}.$`, `$.Payload.${name}`]));
    return taskState(parts.functionArn, task, payload, { ResultSelector, ResultPath: `$.etl.${task}`, Retry: RETRY });
  };
  const planned = { "startedAt.$": "$$.Execution.StartTime", "mode.$": "$.mode", "checks.$": "$.checks" };
  return {
    startAt: "PrepareEtl",
    states: {
      // The ResultPath of the steps needs this object to exist.
      PrepareEtl: { Type: "Pass", Result: {}, ResultPath: "$.etl", Next: "PlanEtl" },
      PlanEtl: { ...call("plan", planned, "tasksKey"), Next: "ReadEventsAndTables" },
      ReadEventsAndTables: map(parts, "$.etl.plan.tasksKey", "Read", "SplitEvents"),
      SplitEvents: { ...call("split", {}, "tasksKey"), Next: "WriteEvents" },
      WriteEvents: map(parts, "$.etl.split.tasksKey", "Write", "FinishEtl"),
      FinishEtl: {
        ...call("finish", {}, "interactions", "rejected"),
        ...(next === undefined ? { End: true } : { Next: next }),
      },
    },
  };
}

/** Defines a state machine that runs only ETL. */
export function etlStateMachine(parts: StateMachineParts): State {
  const { startAt, states } = etlStates(parts);
  return {
    Comment: "Events, users and items to the files that Personalize imports.",
    StartAt: startAt,
    States: states,
  };
}

/**
 * Returns a Distributed Map over a JSON list in the bucket. Each item is the input of a call. The function is called with
 * its own last result until `done` is true, because a scan can take longer than one call.
 */
function map(
  { functionArn, bucket, maxConcurrency }: StateMachineParts,
  list: string,
  name: string,
  next: string,
): State {
  return {
    Type: "Map",
    ItemReader: {
      Resource: "arn:aws:states:::s3:getObject",
      ReaderConfig: { InputType: "JSON" },
      Parameters: { Bucket: bucket, "Key.$": list },
    },
    ItemProcessor: {
      ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
      StartAt: name,
      States: {
        [name]: {
          Type: "Task",
          Resource: "arn:aws:states:::lambda:invoke",
          TimeoutSeconds: TASK_SECONDS,
          Parameters: { FunctionName: functionArn, "Payload.$": "$" },
          OutputPath: "$.Payload",
          Retry: RETRY,
          Next: `Is${name}Done`,
        },
        [`Is${name}Done`]: {
          Type: "Choice",
          Choices: [{ Variable: "$.done", BooleanEquals: true, Next: `${name}Done` }],
          Default: name,
        },
        [`${name}Done`]: { Type: "Pass", Result: {}, End: true },
      },
    },
    MaxConcurrency: maxConcurrency,
    ToleratedFailurePercentage: 100,
    // The results are in the bucket, because thousands of them would not fit into the state.
    ResultPath: null,
    Next: next,
  };
}
