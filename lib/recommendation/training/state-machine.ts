import { retriesOf, TASK_SECONDS } from "../etl/lambda-task.ts";
import { etlStates, type State, type StateMachineParts } from "../etl/state-machine.ts";

/** What the training state machine calls and reads. */
export interface TrainingMachineParts {
  /** The training function's alias. */
  trainingArn: string;
  etl: StateMachineParts;
}

/** The longest training: its polls (LOOKS, nine events each) add up to 13,000 of the 25,000 events of an execution. */
const MOST_SECONDS = 48 * 3_600;

/** The longest teardown: it polls more often, so it has 13,000 events as well. Started again, it resumes. */
const MOST_TEARDOWN_SECONDS = 12 * 3_600;

/** Three retries: every step resumes what it started. */
const RETRY = retriesOf("TrainingError", { MaxAttempts: 3, BackoffRate: 3 });

/**
 * Defines the training: ingestion buffer, ETL, minimums, imports, recipes, removal of superseded solutions. In mode accept
 * it only switches campaigns. Its input is `TrainingInput`. ETL's states are part of it: no execution starts another. It
 * uses JSONPath only, which Step Functions and the local interpreter both understand. The step before a Wait state decides
 * how long to wait.
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
          ...fields("mode", "accepting", "recipes", "checks", "origin", "startedAt", "accepted", "acceptMissing"),
          arrivals: { attempts: 0 },
          training: fields("progress"),
        },
        { Next: "IsAcceptance" },
      ),
      IsAcceptance: choice("$.accepting", "AcceptVersions", "AwaitIngestion"),
      AcceptVersions: call("accept", { "progress.$": "$.training.progress" }, fields("ready", "seconds", "progress"), {
        ResultPath: "$.training",
        Next: "AreVersionsAccepted",
      }),
      AreVersionsAccepted: choice("$.training.ready", "FinishTraining", "WaitForAcceptance"),
      WaitForAcceptance: wait("$.training.seconds", "AcceptVersions"),
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
      CheckData: call("check", same("checks"), fields("data", "users"), {
        ResultPath: "$.check",
        Next: "StartImports",
      }),
      StartImports: call("import", { ...same("origin"), "data.$": "$.check.data" }, fields("jobs"), {
        ResultPath: "$.imports",
        Next: "PollImports",
      }),
      PollImports: call("imports", { "jobs.$": "$.imports.jobs" }, fields("ready", "seconds"), {
        ResultPath: "$.importing",
        Next: "AreImportsOver",
      }),
      AreImportsOver: choice("$.importing.ready", "TrainRecipes", "WaitForImports"),
      WaitForImports: wait("$.importing.seconds", "PollImports"),
      TrainRecipes: call(
        "train",
        {
          ...same("origin", "recipes"),
          "data.$": "$.check.data",
          "users.$": "$.check.users",
          "progress.$": "$.training.progress",
        },
        fields("ready", "seconds", "progress"),
        { ResultPath: "$.training", Next: "AreRecipesOver" },
      ),
      AreRecipesOver: choice("$.training.ready", "FinishTraining", "WaitForRecipes"),
      WaitForRecipes: wait("$.training.seconds", "TrainRecipes"),
      FinishTraining: call(
        "finish",
        { "progress.$": "$.training.progress" },
        fields("run", "recipes", "summary", "removed"),
        { End: true },
      ),
    },
  };
}

/** Defines the teardown that `uninstall` runs first: it stops training, then removes campaigns and solutions. */
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

/** Selects fields of the function's result. */
const fields = (...names: string[]): Payload =>
  Object.fromEntries(names.map((name) => [`${name}.$`, `$.Payload.${name}`]));

/** Passes fields of the state under their own names. */
const same = (...names: string[]): Payload => Object.fromEntries(names.map((name) => [`${name}.$`, `$.${name}`]));

const choice = (Variable: string, yes: string, no: string): State => ({
  Type: "Choice",
  Choices: [{ Variable, BooleanEquals: true, Next: yes }],
  Default: no,
});

const wait = (SecondsPath: string, Next: string): State => ({ Type: "Wait", SecondsPath, Next });
