import { retriesOf, TASK_SECONDS } from "./lambda-task.ts";

/** What the state machine calls and reads. */
export interface StateMachineParts {
  /** The ETL function's alias. */
  functionArn: string;
  bucket: string;
  /** Calls at the same time of each map step. */
  maxConcurrency: number;
}

/** A state of the Amazon States Language. */
export type State = Readonly<Record<string, unknown>>;

/** States to put into a machine: `startAt` is the first, and the last one goes on to the `next` that was asked for. */
export interface States {
  startAt: string;
  states: Readonly<Record<string, State>>;
}

/** Two more tries: every step gives the same when it is done again. */
const RETRY = retriesOf("EtlError", { MaxAttempts: 2, BackoffRate: 2 });

/**
 * The steps of ETL, for a machine whose input has `mode` (`init` or `update_dataset_group`) and `checks` (a list of
 * `{name, event_type?, event_value_threshold?}`). The run is named after the execution. Results are under `$.etl`; the
 * last is `{manifestKey, interactions, users, items, rejected}`.
 *
 * JSONPath only and JSON as the maps' source: what the local interpreter and Step Functions both do. The maps tolerate
 * every failure, since only the function after each can tell which items failed and why; it then fails the run.
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
      // ResultPath of the steps needs the object to be there.
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

/** The machine that does ETL alone. */
export function etlStateMachine(parts: StateMachineParts): State {
  const { startAt, states } = etlStates(parts);
  return {
    Comment: "Events, users and items to the files that Personalize imports.",
    StartAt: startAt,
    States: states,
  };
}

const fields = (...names: string[]) => Object.fromEntries(names.map((name) => [`${name}.$`, `$.Payload.${name}`]));

/** A Distributed Map over a JSON list in the bucket. Each item is the input of its call. */
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
    // The results are in the bucket: thousands of them would not fit into the state.
    ResultPath: null,
    Next: next,
  };
}

/** One call an item, without a result. */
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

/** Calls again with the answer of the last call until that says it is done: a scan outlives a call. */
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
