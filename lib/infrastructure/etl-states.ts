import { choice, fields, retriesOf, type State, TASK_SECONDS, type TaskParts, taskState } from "./lambda-task.ts";

/** The resources that the state machine uses. */
export interface StateMachineParts extends TaskParts {
  bucket: string;
  /** The number of concurrent calls in each map step. */
  maxConcurrency: number;
}

/** Two retries. They are safe because a repeated step has the same result. */
const Retry = retriesOf("EtlError", { MaxAttempts: 2, BackoffRate: 2 });

/**
 * Returns the states of ETL, for a state machine whose input has `mode` (`init` or `update_dataset_group`) and `checks`
 * (a list of `{name, event_type?, event_value_threshold?}`), and the first of them. The last state continues with `next`,
 * or ends the execution. The run is named after the execution. Results are under `$.etl`. The last one is
 * `{interactions, rejected}`.
 *
 * The states use only JSONPath, and JSON as the source of maps, which both Step Functions and the local interpreter
 * support. The maps tolerate every failure. The last step finds out which items failed and why, and then fails the
 * run.
 */
export function etlStates(parts: StateMachineParts, next?: string) {
  const call = (task: string, payload: object, results: string[], more: State): State =>
    taskState(parts, task, payload, {
      ...{ ResultSelector: fields(...results), ResultPath: `$.etl.${task}`, Retry },
      ...more,
    });
  const planned = { "startedAt.$": "$$.Execution.StartTime", "mode.$": "$.mode", "checks.$": "$.checks" };
  const states: Readonly<Record<string, State>> = {
    // The ResultPath of the steps needs this object to exist.
    PrepareEtl: { Type: "Pass", Result: {}, ResultPath: "$.etl", Next: "PlanEtl" },
    PlanEtl: call("plan", planned, ["readsKey", "shardsKey", "engineKey"], { Next: "ReadEventsAndTables" }),
    ReadEventsAndTables: map(parts, "$.etl.plan.readsKey", "Read", "WriteEvents"),
    WriteEvents: map(parts, "$.etl.plan.shardsKey", "Write", "FinishEtl"),
    FinishEtl: call("finish", {}, ["interactions", "rejected"], next === undefined ? { End: true } : { Next: next }),
  };
  return { startAt: "PrepareEtl", states };
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
 * its own last result until `done` is true, because a scan can take longer than one call. The results are in the bucket,
 * because thousands of them would not fit into the state.
 */
export function map(
  { functionArn, taskArn, bucket, maxConcurrency }: StateMachineParts,
  list: string,
  name: string,
  Next: string,
): State {
  const [isDone, done] = [`Is${name}Done`, `${name}Done`];
  const Parameters = { FunctionName: functionArn, "Payload.$": "$" };
  return {
    Type: "Map",
    ItemReader: {
      Resource: taskArn("s3:getObject"),
      ReaderConfig: { InputType: "JSON" },
      Parameters: { Bucket: bucket, "Key.$": list },
    },
    ItemProcessor: {
      ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
      StartAt: name,
      States: {
        [name]: {
          Type: "Task",
          Resource: taskArn("lambda:invoke"),
          TimeoutSeconds: TASK_SECONDS,
          Parameters,
          OutputPath: "$.Payload",
          Retry,
          Next: isDone,
        },
        [isDone]: choice("$.done", done, name),
        [done]: { Type: "Pass", Result: {}, End: true },
      },
    },
    MaxConcurrency: maxConcurrency,
    ToleratedFailurePercentage: 100,
    ResultPath: null,
    Next,
  };
}
