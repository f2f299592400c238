import * as v from "valibot";
import { Text } from "../../lib/platform/environment.ts";

/** The environment of realtime-sync, which the stack sets. The schemas are in `config.json` beside the bundle. */
export const RealtimeSyncEnv = v.object({
  USERS_TABLE: Text,
  ITEMS_TABLE: Text,
  /** The datasets in Personalize. */
  USERS_DATASET_ARN: Text,
  ITEMS_DATASET_ARN: Text,
});

export type RealtimeSyncEnv = v.InferOutput<typeof RealtimeSyncEnv>;
