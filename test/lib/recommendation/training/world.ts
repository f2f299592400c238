import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { LambdaClient, UpdateAliasCommand, UpdateFunctionCodeCommand } from "@aws-sdk/client-lambda";
import { PersonalizeClient } from "@aws-sdk/client-personalize";
import { PersonalizeRuntimeClient } from "@aws-sdk/client-personalize-runtime";
import { DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import { SSMClient } from "@aws-sdk/client-ssm";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { buildFunctions } from "../../../../build/functions.ts";
import type { TrainingEnvInput } from "../../../../functions/training/env.ts";
import { type FunctionValues, recommendationFunctions } from "../../../../lib/infrastructure/functions.ts";
import { stateMachineDefinitions } from "../../../../lib/infrastructure/state-machines.ts";
import type { ResourceInputGiven, ResourceState } from "../../../../lib/personalize/resources/request.ts";
import { s3ObjectStore } from "../../../../lib/platform/aws/s3-object-store.ts";
import { LIVE_ALIAS, namesOf } from "../../../../lib/platform/naming/names.ts";
import type { EtlSettings } from "../../../../lib/recommendation/etl/tasks.ts";
import { eventLine, type StoredEvent } from "../../../../lib/recommendation/records/layout.ts";
import type { TrainingSettings } from "../../../../lib/recommendation/training/settings.ts";
import { dynamoTrainingState } from "../../../../lib/recommendation/training/state.ts";
import type { TrainingInput } from "../../../../lib/recommendation/training/task.ts";
import { createBucket } from "../../../../packages/local/dev/clients.ts";
import { createDeployedRoles, type Permission } from "../../../../packages/local/dev/deployed-roles.ts";
import { importObjects } from "../../../../packages/local/dev/recommendation.ts";
import { createFunction, createTables } from "../../../../packages/local/dev/resources.ts";
import { ACCOUNT_ID, REGION } from "../../../../packages/local-aws/cloud/account.ts";
import { invoke } from "../../../../packages/local-aws/test/cloud/functions.ts";
import type { Delays } from "../../../../packages/local-personalize/account.ts";
import { createPersonalize } from "../../../../packages/local-personalize/personalize.ts";
import { waitFor } from "../../../../packages/processes/wait.ts";
import { clientOptions, ownCloud } from "../../../fixtures/cloud.ts";
import { recommendation } from "../../../fixtures/configurations/configurations.ts";
import { basicInputs } from "../../personalize/resources/inputs.ts";
import { DEFINITIONS, ITEM, USER } from "../etl/run.ts";
import { NDCG_ANY } from "./settings.ts";

/** The stand-in's states pass fast enough for tests and slowly enough to be observed. */
const DELAYS: Delays = { pending: 20, working: 60, importing: 100, training: 100, deploying: 100 };

/** The settings of a deployment whose recipes train on all event types. */
const ETL_SETTINGS: EtlSettings = { ...DEFINITIONS, event_types: { named: [], others: true, most: 8 } };

export interface WorldOptions {
  project: string;
  settings?: TrainingSettings;
  delays?: Partial<Delays>;
  bufferSeconds?: number;
  /** Timeout of personalize-manager, in seconds. It stops waiting 15 s before. */
  managerTimeout?: number;
  /** How many functions may run at the same time. Default: no limit. */
  concurrency?: number;
  /** Permissions that a deployment's roles have but these lack. */
  taken?: Permission;
}

/**
 * A local cloud of its own with Personalize behind it, the built functions as they are deployed, tables, bucket, and both
 * state machines. The manager has created what `deploy` creates before training.
 */
export async function trainingWorld({
  project,
  settings = NDCG_ANY,
  delays,
  bufferSeconds = 0,
  managerTimeout,
  concurrency,
  taken,
}: WorldOptions) {
  const endpoint = Promise.withResolvers<string>();
  let heldAt: number | undefined;
  const standIn = createPersonalize({
    accountId: ACCOUNT_ID,
    region: REGION,
    delays: { ...DELAYS, ...delays },
    clock: { now: () => heldAt ?? Date.now() },
    objects: importObjects(endpoint.promise),
  });
  const quotas = concurrency === undefined ? {} : { concurrency };
  const cloud = await ownCloud({ standIns: [standIn], quotas });
  endpoint.resolve(cloud.endpoint);
  await createDeployedRoles(cloud, recommendation([["project.yaml", ["project_name"], project]]), taken);
  const options = { ...clientOptions(cloud), forcePathStyle: true };
  const storage = new S3Client(options);
  const clients = {
    s3: storage,
    dynamo: new DynamoDBClient(options),
    lambda: new LambdaClient(options),
    sfn: new SFNClient(options),
    ssm: new SSMClient(options),
    personalize: new PersonalizeClient(options),
    runtime: new PersonalizeRuntimeClient(options),
  };
  const names = namesOf({ project, account: ACCOUNT_ID, region: REGION });
  const bucket = names.bucket();
  const folder = mkdtempSync(join(tmpdir(), "training-"));
  const put = (Key: string, Body: string) => storage.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));

  await createBucket(storage, bucket, REGION);
  await createTables(clients.dynamo, names);

  const build = (current: TrainingSettings) =>
    buildFunctions({
      outdir: join(folder, "functions"),
      functions: ["etl", "training", "personalize-manager"],
      files: {
        etl: { "config.json": JSON.stringify(ETL_SETTINGS) },
        training: { "config.json": JSON.stringify(current) },
      },
    });
  const built = await build(settings);
  const functions = recommendationFunctions({
    names,
    project,
    account: ACCOUNT_ID,
    personalize: { log_lookback_days: 3, force_reprocess_lookback_days: 0 },
    bufferSeconds,
  });
  const deploy = async (name: "etl" | "training" | "personalize-manager", changed: Partial<FunctionValues> = {}) => {
    const zip = built[name]?.zip ?? "";
    await createFunction(clients.lambda, { cloud, names }, name, { ...functions[name], ...changed, zip });
  };
  const trainingEnv = { ...functions.training.environment, POLL_SECONDS: "1" } satisfies TrainingEnvInput;
  await deploy("etl");
  await deploy("training", { environment: trainingEnv });
  await deploy("personalize-manager", managerTimeout === undefined ? {} : { timeoutSeconds: managerTimeout });

  const roleArn = names.roleArn(names.role("state-machines"));
  const definitions = stateMachineDefinitions(names, 2);
  const machine = async (name: "training" | "teardown") => {
    const command = { name: names.stateMachine(name), roleArn, definition: JSON.stringify(definitions[name]) };
    return (await clients.sfn.send(new CreateStateMachineCommand(command))).stateMachineArn ?? "";
  };
  const machines = { training: await machine("training"), teardown: await machine("teardown") };

  /** Invokes the manager once, as Terraform does. Throws the manager's error. */
  const manage = async (
    action: "create" | "update" | "delete",
    input: ResourceInputGiven,
    before?: ResourceInputGiven,
  ): Promise<ResourceState> => {
    const payload = { ...input, tf: { action, prev_input: before ?? null } };
    const answer = await invoke(clients.lambda, names.function("personalize-manager"), payload);
    if (answer.error) throw new Error(answer.payload.errorMessage);
    return answer.payload;
  };

  return {
    ...clients,
    cloud,
    control: standIn.control,
    names,
    bucket,
    machines,
    store: s3ObjectStore(storage, bucket),
    state: dynamoTrainingState(clients.dynamo, names.table("training")),
    manage,

    /** Holds the clock, so that no operation of Personalize ends until it is released. */
    holdClock() {
      heldAt = Date.now();
    },
    releaseClock() {
      heldAt = undefined;
    },

    /** The stacks' inputs before training, in their order. */
    async deployPersonalize() {
      for (const input of basicInputs(names)) await manage("create", input);
    },

    /** Deploys other settings, as a changed solution.yaml does. */
    async redeploy(changed: TrainingSettings) {
      const { training } = await build(changed);
      const FunctionName = names.function("training");
      const ZipFile = readFileSync(training?.zip ?? "");
      const code = new UpdateFunctionCodeCommand({ FunctionName, ZipFile, Publish: true });
      const { Version: FunctionVersion } = await clients.lambda.send(code);
      await clients.lambda.send(new UpdateAliasCommand({ FunctionName, Name: LIVE_ALIAS, FunctionVersion }));
    },

    /** Replaces all events by these, as if they had been uploaded today. */
    async setEvents(events: readonly StoredEvent[]) {
      const { Contents = [] } = await storage.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: "events/" }));
      const Objects = Contents.map(({ Key }) => ({ Key: Key ?? "" }));
      if (Objects.length > 0) {
        await storage.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
      }
      const today = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
      await put(`events/${today}/00/all`, events.map(eventLine).join(""));
    },

    async setProfiles(users: number, items: number) {
      const documents = DynamoDBDocumentClient.from(clients.dynamo);
      for (let user = 0; user < users; user += 1) {
        const Item = { ...USER, USER_ID: `U${user}`, GENDER: user % 2 ? "F" : "M" };
        await documents.send(new PutCommand({ TableName: names.table("users"), Item }));
      }
      for (let item = 0; item < items; item += 1) {
        const Item = { ...ITEM, ITEM_ID: `B${item}`, CATEGORIES: `c${item % 4}` };
        await documents.send(new PutCommand({ TableName: names.table("items"), Item }));
      }
    },

    async start(name: string, input: TrainingInput): Promise<string> {
      const command = { stateMachineArn: machines.training, name, input: JSON.stringify(input) };
      return (await clients.sfn.send(new StartExecutionCommand(command))).executionArn ?? "";
    },

    async startTeardown(name: string): Promise<string> {
      const command = { stateMachineArn: machines.teardown, name, input: "{}" };
      return (await clients.sfn.send(new StartExecutionCommand(command))).executionArn ?? "";
    },

    /** How an execution ended. `cause` is the function's own message if it has one. */
    async ended(executionArn: string) {
      const found = await waitFor(
        async () => {
          const one = await clients.sfn.send(new DescribeExecutionCommand({ executionArn }));
          return one.status !== "RUNNING" && one;
        },
        { what: `${executionArn} to end`, timeoutMs: 200_000, intervalMs: 200 },
      );
      return {
        status: found.status,
        error: found.error,
        cause: messageOf(found.cause),
        output: JSON.parse(found.output ?? "null"),
      };
    },

    async stop() {
      await cloud.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type TrainingWorld = Awaited<ReturnType<typeof trainingWorld>>;

/** A Lambda error as Step Functions writes it into `cause`. */
function messageOf(cause: string | undefined): string {
  try {
    return JSON.parse(cause ?? "").errorMessage ?? cause;
  } catch {
    return cause ?? "";
  }
}
