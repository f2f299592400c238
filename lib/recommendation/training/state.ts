import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type Operation, patientCalls } from "../../platform/aws/call.ts";
import { ignoreNotFound, isNamed } from "../../platform/aws/errors.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../platform/contract/recommendation.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { TRAINING_KEY } from "../records/tables.ts";
import type { Measured } from "./gate.ts";
import type { RecipeProgress, RunMode } from "./task.ts";

/** The lock that lets one execution at a time train or accept versions. */
export interface Lock {
  /** Name of the execution that holds the lock. */
  run: string;
  /** ARN of the execution. */
  execution: string;
  /**
   * The first run of the chain. In a chain every run but the last failed, and each resumes the work of the earlier
   * ones.
   */
  origin: string;
  mode: RunMode;
  recipes: RecipeKind[];
  /** ISO 8601. */
  startedAt: string;
  /**
   * In mode accept: the lock of the failed training that it interrupts. It is restored later, so that its chain
   * continues.
   */
  interrupted?: Lock;
}

/** Current activity of a run, as shown by `status` and `train --wait`. */
export interface Note {
  step: "ingestion" | "etl" | "arrivals" | "imports" | "recipes" | "finish" | "teardown";
  /** A sentence for people. */
  detail: string;
  recipes: readonly RecipeProgress[];
}

/** The error code of an execution that `uninstall` stopped. It triggers no notification. */
export const STOPPED_BY_UNINSTALL = "StoppedByUninstall";

/** A trained version's ARN, its measurement, and why it serves or was held back. */
export interface JudgedVersion extends Measured {
  version: string;
  reason: string;
}

/** The training table's record of one recipe. */
export interface RecipeState {
  /** The version that its campaign serves. */
  active?: JudgedVersion;
  /** Versions held back since the last switch, oldest first. */
  held: JudgedVersion[];
  /** The last training that ended. */
  last?: { origin: string; data: string; solution: string; version: string; outcome: "done" | "held"; reason: string };
  /** Incremented by every write. A write based on an older revision is rejected. */
  revision: number;
}

/** Report of the last training that imported data. */
interface DataReport {
  run: string;
  /** Personalize limits that the data is near or exceeds. Absent if none. */
  large?: string;
  /** Events that were left out, and why. Absent if none. */
  left_out?: string;
  /** Number of events with unknown users or items. Absent if none. */
  unknown?: string;
  /** Why the built-in engine was not trained. Absent if it was. */
  untrained?: string;
  /** Quality of the engines. Absent until all recipes have ended. */
  yardstick?: string;
}

/** The training table: the lock, the last report about data, and the state of each recipe. */
export interface TrainingState {
  lock(): Promise<(Lock & { note?: Note }) | undefined>;
  /** Takes the lock from `holder`, or a free lock if undefined. Returns false if another run took it first. */
  take(lock: Lock, holder: string | undefined): Promise<boolean>;
  /** Records what a run is doing. Does nothing unless the run holds the lock. */
  note(run: string, note: Note): Promise<void>;
  /** Releases the lock. Does nothing unless the run holds it. */
  release(run: string): Promise<void>;
  data(): Promise<DataReport | undefined>;
  saveData(report: DataReport): Promise<void>;
  recipe(kind: RecipeKind): Promise<RecipeState | undefined>;
  /** Stores a recipe's state if `state.revision` is one more than the stored revision; otherwise returns false. */
  saveRecipe(kind: RecipeKind, state: RecipeState): Promise<boolean>;
  /** Deletes the state of these recipes, by default all recipes and the report about data. */
  forget(kinds?: readonly RecipeKind[]): Promise<void>;
}

const LOCK = "lock";
const DATA = "data";

const recipeKey = (kind: RecipeKind) => `recipe#${kind}`;

/**
 * Implements TrainingState with the training table. The client must have its own retries turned off. No call runs
 * beyond `outer`. The table belongs to the stack `recommendation`, and an interrupted uninstall may have removed it
 * already. Without it, reads return undefined, and `note`, `release` and `forget` do nothing; `take` and `saveRecipe`
 * throw.
 */
export function dynamoTrainingState(
  client: Pick<DynamoDBClient, "send">,
  table: string,
  outer?: Deadline,
): TrainingState {
  const sdk = () => import("@aws-sdk/lib-dynamodb");
  const call = patientCalls(60_000, 8, outer);
  /** The lock, if the run `:run` holds it. */
  const lockOf = { TableName: table, Key: { [TRAINING_KEY]: LOCK }, ConditionExpression: "#run = :run" };
  const read = async (key: string): Promise<Record<string, unknown> | undefined> => {
    const { GetCommand } = await sdk();
    const command = new GetCommand({ TableName: table, Key: { [TRAINING_KEY]: key }, ConsistentRead: true });
    return (await ignoreNotFound(call((options) => client.send(command, options))))?.Item;
  };
  /**
   * Returns whether the condition held. If an answer is lost, the write may have succeeded, and the retry finds its own
   * record.
   */
  const conditional = async (operation: Operation<unknown>): Promise<boolean> => {
    try {
      await call(operation);
      return true;
    } catch (error) {
      if (isNamed(error, "ConditionalCheckFailedException")) return false;
      throw error;
    }
  };

  return {
    async lock() {
      const item = await read(LOCK);
      return item && (item.VALUE as Lock & { note?: Note });
    },

    async take(lock, holder) {
      const { PutCommand } = await sdk();
      const command = new PutCommand({
        TableName: table,
        Item: { [TRAINING_KEY]: LOCK, RUN: lock.run, VALUE: lock },
        ConditionExpression:
          holder === undefined ? "attribute_not_exists(#run) OR #run = :own" : "#run IN (:holder, :own)",
        ExpressionAttributeNames: { "#run": "RUN" },
        ExpressionAttributeValues: { ":own": lock.run, ...(holder !== undefined && { ":holder": holder }) },
      });
      return conditional((options) => client.send(command, options));
    },

    async note(run, note) {
      const { UpdateCommand } = await sdk();
      const command = new UpdateCommand({
        ...lockOf,
        UpdateExpression: "SET #value.#note = :note",
        ExpressionAttributeNames: { "#run": "RUN", "#value": "VALUE", "#note": "note" },
        ExpressionAttributeValues: { ":run": run, ":note": note },
      });
      await ignoreNotFound(conditional((options) => client.send(command, options)));
    },

    async release(run) {
      const { DeleteCommand } = await sdk();
      const command = new DeleteCommand({
        ...lockOf,
        ExpressionAttributeNames: { "#run": "RUN" },
        ExpressionAttributeValues: { ":run": run },
      });
      await ignoreNotFound(conditional((options) => client.send(command, options)));
    },

    async data() {
      const item = await read(DATA);
      return item && (item.VALUE as DataReport);
    },

    async saveData(report) {
      const { PutCommand } = await sdk();
      const command = new PutCommand({ TableName: table, Item: { [TRAINING_KEY]: DATA, VALUE: report } });
      await call((options) => client.send(command, options));
    },

    async recipe(kind) {
      const item = await read(recipeKey(kind));
      return item && (item.VALUE as RecipeState);
    },

    async saveRecipe(kind, state) {
      const { PutCommand } = await sdk();
      const command = new PutCommand({
        TableName: table,
        Item: { [TRAINING_KEY]: recipeKey(kind), REVISION: state.revision, VALUE: state },
        ConditionExpression: "attribute_not_exists(REVISION) OR REVISION = :before",
        ExpressionAttributeValues: { ":before": state.revision - 1 },
      });
      return conditional((options) => client.send(command, options));
    },

    async forget(kinds = RECIPE_KINDS) {
      const { DeleteCommand } = await sdk();
      for (const key of kinds === RECIPE_KINDS ? [...kinds.map(recipeKey), DATA] : kinds.map(recipeKey)) {
        const command = new DeleteCommand({ TableName: table, Key: { [TRAINING_KEY]: key } });
        await ignoreNotFound(call((options) => client.send(command, options)));
      }
    },
  };
}
