import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { PersonalizeClient } from "@aws-sdk/client-personalize";
import { SSMClient } from "@aws-sdk/client-ssm";
import { ssmPointers } from "../../lib/personalize/resources/managing.ts";
import { personalizeOf } from "../../lib/personalize/resources/personalize.ts";
import { readEnvironment } from "../../lib/platform/environment.ts";
import { dynamoTrainingState } from "../../lib/recommendation/training/state.ts";
import { versionToServe } from "../../lib/recommendation/training/version-to-serve.ts";
import { PersonalizeManagerEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

const env = readEnvironment(PersonalizeManagerEnv, process.env);
const client = new PersonalizeClient({ maxAttempts: 1 });
const dynamo = new DynamoDBClient({ maxAttempts: 1 });
const ssm = new SSMClient({ maxAttempts: 1 });

export const handler = createHandler(env, (deadline) => {
  const personalize = personalizeOf(client, { deadline });
  const state = dynamoTrainingState(dynamo, env.TRAINING_TABLE, deadline);
  return {
    personalize,
    pointers: ssmPointers(ssm, deadline),
    versionFor: (names, recipe) => versionToServe(personalize, names, state, recipe),
  };
});
