import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { PersonalizeClient } from "@aws-sdk/client-personalize";
import { SSMClient } from "@aws-sdk/client-ssm";
import * as v from "valibot";
import { personalizeOf } from "../../lib/personalize-manager/personalize.ts";
import { ssmPointers } from "../../lib/personalize-manager/pointers.ts";
import { dynamoTrainingState } from "../../lib/training/dynamo-state.ts";
import { versionToServe } from "../../lib/training/version-to-serve.ts";
import { PersonalizeManagerEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

const env = v.parse(PersonalizeManagerEnv, process.env);
const personalize = personalizeOf(new PersonalizeClient({ maxAttempts: 1 }));
const state = dynamoTrainingState(new DynamoDBClient({ maxAttempts: 1 }), env.TRAINING_TABLE);

export const handler = createHandler(env, {
  personalize,
  pointers: ssmPointers(new SSMClient({ maxAttempts: 1 })),
  versionFor: (names, recipe) => versionToServe(personalize, names, state, recipe),
});
