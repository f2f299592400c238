import { retriesOf, TASK_SECONDS } from "../etl/lambda-task.ts";
import { etlStates, type State, type StateMachineParts } from "../etl/state-machine.ts";

/** What the training state machine calls and reads. */
export interface TrainingMachineParts {
  /** The training function's alias. */
  trainingArn: string;
  etl: StateMachineParts;
}

/** Longest training: 13,000 events of history at nine a look (LOOKS), of the 25,000 that an execution may have. */
const MOST_SECONDS = 48 * 3_600;

/** Longest teardown: it looks more often, which makes 13,000 events as well. Started again, it goes on. */
const MOST_TEARDOWN_SECONDS = 12 * 3_600;

/** Three more tries: every step picks up what it has begun. */
const RETRY = retriesOf("TrainingError", { MaxAttempts: 3, BackoffRate: 3 });

/**
 * The training: waits for the ingestion buffer, ETL, minimums, imports, recipes, removal of what is superseded. Its input
 * is `TrainingInput`. ETL's states are part of it: no execution starts another. JSONPath only, which Step Functions and
 * the local interpreter both do; every wait is a Wait state, as long as the step before it says.
 */
export function trainingStateMachine(parts: TrainingMachineParts): State {
  const { trainingArn } = parts;
  const call = (task: string, payload: Payload, result: Payload, more: State): State => ({
    Type: "Task",
    Resource: "arn:aws:states:::lambda:invoke",
    TimeoutSeconds: TASK_SECONDS,
    Parameters: { FunctionName: trainingArn, Payload: { task, "run.$": "$$.Execution.Name", ...payload } },
    ResultSelector: result,
    Retry: RETRY,
    ...more,
  });
  const etl = etlStates(parts.etl, "CheckArrivals");
  return {
    Comment: "From accepted events to campaigns that answer.",
    StartAt: "BeginTraining",
    TimeoutSeconds: MOST_SECONDS,
    States: {
      BeginTraining: call(
        "begin",
        { "execution.$": "$$.Execution.Id", "startedAt.$": "$$.Execution.StartTime", "input.$": "$" },
        {
          ...fields("mode", "recipes", "checks", "origin", "startedAt", "accepted", "acceptMissing"),
          arrivals: { attempts: 0 },
          training: { progress: [] },
        },
        { Next: "AwaitIngestion" },
      ),
      AwaitIngestion: call("ingestion", same("startedAt"), fields("ready", "seconds"), {
        ResultPath: "$.ingestion",
        Next: "IsIngestionOver",
      }),
      IsIngestionOver: choice("$.ingestion.ready", etl.startAt, "WaitForIngestion"),
      WaitForIngestion: wait("$.ingestion.seconds", "AwaitIngestion"),
      ...etl.states,
      CheckArrivals: call(
        "arrivals",
        { ...same("startedAt", "accepted", "acceptMissing"), "attempts.$": "$.arrivals.attempts" },
        fields("ready", "seconds", "attempts"),
        { ResultPath: "$.arrivals", Next: "HasAllArrived" },
      ),
      HasAllArrived: choice("$.arrivals.ready", "CheckData", "WaitForArrivals"),
      WaitForArrivals: wait("$.arrivals.seconds", etl.startAt),
      CheckData: call("check", same("checks"), fields("data"), { ResultPath: "$.check", Next: "StartImports" }),
      StartImports: call("import", { ...same("origin"), "data.$": "$.check.data" }, fields("jobs"), {
        ResultPath: "$.imports",
        Next: "LookAtImports",
      }),
      LookAtImports: call("imports", { "jobs.$": "$.imports.jobs" }, fields("ready", "seconds"), {
        ResultPath: "$.importing",
        Next: "AreImportsOver",
      }),
      AreImportsOver: choice("$.importing.ready", "TrainRecipes", "WaitForImports"),
      WaitForImports: wait("$.importing.seconds", "LookAtImports"),
      TrainRecipes: call(
        "train",
        { ...same("origin", "recipes"), "data.$": "$.check.data", "progress.$": "$.training.progress" },
        fields("ready", "seconds", "progress"),
        { ResultPath: "$.training", Next: "AreRecipesOver" },
      ),
      AreRecipesOver: choice("$.training.ready", "FinishTraining", "WaitForRecipes"),
      WaitForRecipes: wait("$.training.seconds", "TrainRecipes"),
      FinishTraining: call("finish", { "progress.$": "$.training.progress" }, fields("run", "recipes", "removed"), {
        End: true,
      }),
    },
  };
}

/** The teardown that `uninstall` runs first: stops training, removes campaigns and solutions. Started again, it goes on. */
export function teardownStateMachine({ trainingArn }: Pick<TrainingMachineParts, "trainingArn">): State {
  return {
    Comment: "Removes what training made, in order.",
    StartAt: "TearDown",
    TimeoutSeconds: MOST_TEARDOWN_SECONDS,
    States: {
      TearDown: {
        Type: "Task",
        Resource: "arn:aws:states:::lambda:invoke",
        TimeoutSeconds: TASK_SECONDS,
        Parameters: {
          FunctionName: trainingArn,
          Payload: {
            task: "teardown",
            "run.$": "$$.Execution.Name",
            "execution.$": "$$.Execution.Id",
            "startedAt.$": "$$.Execution.StartTime",
          },
        },
        ResultSelector: fields("ready", "seconds", "left"),
        Retry: RETRY,
        Next: "IsAllGone",
      },
      IsAllGone: choice("$.ready", "Gone", "WaitForRemoval"),
      WaitForRemoval: wait("$.seconds", "TearDown"),
      Gone: { Type: "Succeed" },
    },
  };
}

type Payload = Readonly<Record<string, unknown>>;

/** Fields of the function's answer. */
const fields = (...names: string[]): Payload =>
  Object.fromEntries(names.map((name) => [`${name}.$`, `$.Payload.${name}`]));

/** Fields of the state under their own names. */
const same = (...names: string[]): Payload => Object.fromEntries(names.map((name) => [`${name}.$`, `$.${name}`]));

const choice = (Variable: string, yes: string, no: string): State => ({
  Type: "Choice",
  Choices: [{ Variable, BooleanEquals: true, Next: yes }],
  Default: no,
});

const wait = (SecondsPath: string, Next: string): State => ({ Type: "Wait", SecondsPath, Next });
