import { retriesOf, TASK_SECONDS } from "../../aws/lambda-task.ts";

/** The resources that the state machine uses. */
export interface StateMachineParts {
  /** ARN of the ETL function's alias. */
  functionArn: string;
  bucket: string;
  /** The number of concurrent calls in each map step. */
  maxConcurrency: number;
}

/** A state of the Amazon States Language. */
export type State = Readonly<Record<string, unknown>>;

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
 * `{manifestKey, interactions, users, items, rejected}`.
 *
 * The states use only JSONPath, and JSON as the source of maps, which both Step Functions and the local interpreter
 * support. The maps tolerate every failure. The function after each map finds out which items failed and why, and then
 * fails the run.
 */
export function etlStates(parts: StateMachineParts, next?: string): States {
  const call = (task: string, result: Readonly<Record<string, string>>): State => ({
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke",
    TimeoutSeconds: TASK_SECONDS,
    Parameters: { FunctionName: parts.functionArn, Payload: { task, "run.$": "$$.Execution.Name" } },
    ResultSelector: result,
    ResultPath: `$.etl.${task}`,
    Retry: RETRY,
  });
  const planned: State = {
    ...call("plan", fields("groups", "groupsKey", "scans", "scansKey")),
    Parameters: {
      FunctionName: parts.functionArn,
      Payload: {
        task: "plan",
        "run.$": "$$.Execution.Name",
        "startedAt.$": "$$.Execution.StartTime",
        "mode.$": "$.mode",
        "checks.$": "$.checks",
      },
    },
    Next: "AreThereNewEvents",
  };
  return {
    startAt: "PrepareEtl",
    states: {
      // The ResultPath of the steps needs this object to exist.
      PrepareEtl: { Type: "Pass", Result: {}, ResultPath: "$.etl", Next: "PlanEtl" },
      PlanEtl: planned,
      AreThereNewEvents: {
        Type: "Choice",
        Choices: [{ Variable: "$.etl.plan.groups", NumericGreaterThan: 0, Next: "TransformEvents" }],
        Default: "CollectEvents",
      },
      TransformEvents: map(parts, "$.etl.plan.groupsKey", "TransformGroup", once(parts), "CollectEvents"),
      CollectEvents: { ...call("collect", fields("rows", "shards", "shardsKey")), Next: "DeduplicateEvents" },
      DeduplicateEvents: map(parts, "$.etl.collect.shardsKey", "DeduplicateShard", once(parts), "ScanTables"),
      ScanTables: map(parts, "$.etl.plan.scansKey", "ScanSegment", untilDone(parts), "FinishEtl"),
      FinishEtl: {
        ...call("finish", fields("manifestKey", "interactions", "users", "items", "rejected")),
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

const fields = (...names: string[]) => Object.fromEntries(names.map((name) => [`${name}.$`, `$.Payload.${name}`]));

/** Returns a Distributed Map over a JSON list in the bucket. Each item is the input of one call. */
function map(
  { bucket, maxConcurrency }: StateMachineParts,
  listKey: string,
  startAt: string,
  states: (startAt: string) => Readonly<Record<string, State>>,
  next: string,
): State {
  return {
    Type: "Map",
    ItemReader: {
      Resource: "arn:aws:states:::s3:getObject",
      ReaderConfig: { InputType: "JSON" },
      Parameters: { Bucket: bucket, "Key.$": listKey },
    },
    ItemProcessor: {
      ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
      StartAt: startAt,
      States: states(startAt),
    },
    MaxConcurrency: maxConcurrency,
    ToleratedFailurePercentage: 100,
    // The results are in the bucket, because thousands of them would not fit into the state.
    ResultPath: null,
    Next: next,
  };
}

/** Calls the function once for each item and discards the result. */
const once = (parts: StateMachineParts) => (name: string) => ({
  [name]: {
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke",
    TimeoutSeconds: TASK_SECONDS,
    Parameters: { FunctionName: parts.functionArn, "Payload.$": "$" },
    ResultSelector: {},
    Retry: RETRY,
    End: true,
  },
});

/** Calls the function with its own last result until `done` is true, because a scan can take longer than one call. */
const untilDone = (parts: StateMachineParts) => (name: string) => ({
  [name]: {
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke",
    TimeoutSeconds: TASK_SECONDS,
    Parameters: { FunctionName: parts.functionArn, "Payload.$": "$" },
    OutputPath: "$.Payload",
    Retry: RETRY,
    Next: "IsSegmentDone",
  },
  IsSegmentDone: {
    Type: "Choice",
    Choices: [{ Variable: "$.done", BooleanEquals: true, Next: "SegmentDone" }],
    Default: name,
  },
  SegmentDone: { Type: "Pass", Result: {}, End: true },
});
