import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type Operation, patientCalls } from "../../aws/call.ts";
import { ifThere, isNamed } from "../../aws/errors.ts";
import { RECIPE_KINDS, type RecipeKind } from "../../config/recipes.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import type { Lock, Note, RecipeState, TrainingState } from "./state.ts";

/** Name of the training table's key. */
export const TRAINING_KEY = "KEY";

const LOCK = "lock";

/** Returns whether an error means that the training table does not exist. */
export function isMissingTable(error: unknown): boolean {
  return isNamed(error, "ResourceNotFoundException");
}

const recipeKey = (kind: RecipeKind) => `recipe#${kind}`;

/**
 * Implements TrainingState with the training table. The client must have its own retries turned off. No call runs
 * beyond `outer`. The table belongs to the stack `recommendation`, and an interrupted uninstall may have removed it
 * already. Without it, reads return undefined, and `note`, `release` and `forget` do nothing; `take` and `saveRecipe`
 * throw.
 */
export function dynamoTrainingState(client: DynamoDBClient, table: string, outer?: Deadline): TrainingState {
  const sdk = () => import("@aws-sdk/lib-dynamodb");
  const call = patientCalls(60_000, 8, outer);
  /** The lock, if the run `:run` holds it. */
  const lockOf = { TableName: table, Key: { [TRAINING_KEY]: LOCK }, ConditionExpression: "#run = :run" };
  const read = async (key: string): Promise<Record<string, unknown> | undefined> => {
    const { GetCommand } = await sdk();
    const command = new GetCommand({ TableName: table, Key: { [TRAINING_KEY]: key }, ConsistentRead: true });
    return (await ifThere(call((options) => client.send(command, options))))?.Item;
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
      await ifThere(conditional((options) => client.send(command, options)));
    },

    async release(run) {
      const { DeleteCommand } = await sdk();
      const command = new DeleteCommand({
        ...lockOf,
        ExpressionAttributeNames: { "#run": "RUN" },
        ExpressionAttributeValues: { ":run": run },
      });
      await ifThere(conditional((options) => client.send(command, options)));
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
      for (const kind of kinds) {
        const command = new DeleteCommand({ TableName: table, Key: { [TRAINING_KEY]: recipeKey(kind) } });
        await ifThere(call((options) => client.send(command, options)));
      }
    },
  };
}
