import type { Names, StateMachineName } from "../platform/naming/names.ts";
import { etlStateMachine, etlStates, map, type StateMachineParts } from "./etl-states.ts";
import { aliasArn } from "./functions.ts";
import { choice, fields, retriesOf, type State, type TaskParts, taskState } from "./lambda-task.ts";

/**
 * Returns the definitions of the recommendation service's state machines.
 *
 * @param maxConcurrency The most calls that a map step makes at the same time.
 */
export function stateMachineDefinitions(
  names: Names,
  maxConcurrency: number,
): Record<StateMachineName, ReturnType<typeof etlStateMachine>> {
  const { taskArn } = names;
  const etl = { functionArn: aliasArn(names, "etl"), taskArn, bucket: names.bucket(), maxConcurrency };
  const training = { functionArn: aliasArn(names, "training"), taskArn };
  return {
    etl: etlStateMachine(etl),
    training: trainingStateMachine({ training, etl }),
    teardown: teardownStateMachine({ training }),
  };
}

/** The resources that the training state machine uses. */
interface TrainingMachineParts {
  training: TaskParts;
  etl: StateMachineParts;
}

/**
 * The longest that a training may take. Polling recipes for that long (MAX_POLLS, nine events a poll) adds 13,000 events,
 * of the 25,000 that an execution may have.
 */
const MOST_SECONDS = 48 * 3_600;

/**
 * The longest that a teardown may take. It polls more often, so it stays below 13,000 events as well. When started
 * again, it resumes where it stopped.
 */
const MOST_TEARDOWN_SECONDS = 12 * 3_600;

const EXECUTION = { "execution.$": "$$.Execution.Id", "startedAt.$": "$$.Execution.StartTime" };

/** Three retries. They are safe because every step resumes what it started. */
const RETRY = retriesOf("TrainingError", { MaxAttempts: 3, BackoffRate: 3 });

/**
 * Defines the training state machine: wait for the ingestion buffer, run ETL, train the built-in engine, check the minimums, import, train the
 * recipes, and remove superseded solutions. In mode accept it only switches campaigns. Its input is `TrainingInput`.
 * It contains the states of ETL, so that no execution has to start another. It uses only JSONPath, which both Step
 * Functions and the local interpreter understand. The step before a Wait state decides how long to wait.
 */
export function trainingStateMachine(parts: TrainingMachineParts): State {
  const call = (task: string, payload: Payload, result: Payload, more: State) =>
    taskState(parts.training, task, payload, { ResultSelector: result, Retry: RETRY, ...more });
  const etl = etlStates(parts.etl, "CheckArrivals");
  return {
    Comment: "From accepted events to campaigns that answer.",
    StartAt: "BeginTraining",
    TimeoutSeconds: MOST_SECONDS,
    States: {
      BeginTraining: call(
        "begin",
        { ...EXECUTION, "input.$": "$" },
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
      HasAllArrived: choice("$.arrivals.ready", "TrainBuiltInEngine", "WaitForArrivals"),
      WaitForArrivals: wait("$.arrivals.seconds", etl.startAt),
      // Runs before the check of Personalize's minimums, which do not apply to the built-in engine. If it fails, CheckData
      // reports that and the training goes on.
      TrainBuiltInEngine: map(parts.etl, "$.etl.plan.engineKey", "Learn", "CheckData"),
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

/**
 * Defines the teardown state machine, which `uninstall` runs first: stop training, then remove campaigns and solutions.
 */
export function teardownStateMachine({ training }: Pick<TrainingMachineParts, "training">): State {
  return {
    Comment: "Removes what training made, in order.",
    StartAt: "TearDown",
    TimeoutSeconds: MOST_TEARDOWN_SECONDS,
    States: {
      TearDown: taskState(training, "teardown", EXECUTION, {
        ResultSelector: fields("ready", "seconds", "left"),
        Retry: RETRY,
        Next: "IsAllGone",
      }),
      IsAllGone: choice("$.ready", "Gone", "WaitForRemoval"),
      WaitForRemoval: wait("$.seconds", "TearDown"),
      Gone: { Type: "Succeed" },
    },
  };
}

type Payload = Readonly<Record<string, unknown>>;

/** Passes on fields of the state, under the same names. */
const same = (...names: string[]): Payload => Object.fromEntries(names.map((name) => [`${name}.$`, `$.${name}`]));

const wait = (SecondsPath: string, Next: string): State => ({ Type: "Wait", SecondsPath, Next });
