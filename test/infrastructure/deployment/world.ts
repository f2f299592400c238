import { APIGatewayClient } from "@aws-sdk/client-api-gateway";
import { GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { GetParametersByPathCommand, SSMClient } from "@aws-sdk/client-ssm";
import { type Names, namesOf, type StackName } from "../../../lib/platform/naming/names.ts";
import { ACCOUNT_ID, REGION } from "../../../packages/local-aws/cloud/account.ts";
import type { Cloud } from "../../../packages/local-aws/cloud/front.ts";
import { type SeededAccount, seedAccount } from "../../../packages/local-aws/cloud/seed.ts";
import { createModelStandIns } from "../../../packages/local-models/stand-ins.ts";
import { scratchFolder } from "../../../packages/processes/scratch.ts";
import { clientOptions, ownCloud } from "../../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { clusters } from "../../fixtures/opensearch.ts";
import { rankingStandIn } from "../../fixtures/ranking-stand-in.ts";
import { type TestProject, testProject } from "../project.ts";
import { proveGateway } from "../prove-gateway.ts";
import { problemsOf, serveDeployedApi } from "../served-api.ts";

/** Declares one test of a deployment. Tests run in order, each on the state that the previous one left. */
export type Step = (name: string, work: () => void | Promise<void>) => void;

/** What the tests of one deployment share. */
export interface World {
  cloud: Cloud;
  account: SeededAccount;
  project: TestProject;
  folder: string;
  names: Names;
  gateway: APIGatewayClient;
  s3: S3Client;
  /** Serves the API as deployed now, and uses it. Returns the reason if it does not work. */
  failure(): Promise<string | undefined>;
  /** Returns a stack's Terraform state. */
  stateOf(stack: StackName): Promise<{ resources: unknown[]; outputs: Record<string, { value: unknown }> }>;
  /** Makes Terraform lose resources, as if it had not seen the answers that created them. */
  lose(stack: StackName, ...types: readonly string[]): Promise<void>;
  /** Returns the project's parameters by the last part of their names. */
  parameters(): Promise<Record<string, string>>;
}

/** The place of the mappings of the first index. */
export const MAPPINGS = ["hybrid_search.yaml", ["hybrid_queries", 0, "embedding_mappings"]] as const;

/** Mappings from one field of the documents, by field and model. */
export const mappings = (...fields: readonly (readonly [field: string, model: string])[]) =>
  fields.map(([embedding_field, model_name]) => ({ embedding_field, model_name, src_fields: ["description"] }));

export const SPARSE = ["description_sparse", "sparse_v3"] as const;
export const DENSE = ["description_dense", "dense_large_en_v1_5"] as const;

/** Creates a cloud with an account, a cluster and a project with nearly all options, its dense model not yet mapped. */
export async function createWorld(): Promise<World> {
  const names = namesOf({ project: "shop", account: ACCOUNT_ID, region: REGION });
  const models = await createModelStandIns({
    modelOfEndpoint: (name) =>
      (["sparse_v3", "dense_large_en_v1_5"] as const).find((model) => name.startsWith(`${names.endpoint(model)}-`)),
  });
  const cloud = await ownCloud({ standIns: [models, rankingStandIn()] });
  const account = await seedAccount(cloud);
  const [cluster] = await clusters();
  const folder = scratchFolder(TEST_OUTPUT, "deployment");
  const project = await testProject({
    folder,
    cloud,
    account,
    configuration: "all-options",
    name: "shop",
    changes: [
      [...MAPPINGS, mappings(SPARSE)],
      // The tests create and remove indices.
      ["api.yaml", ["raw_backend"], undefined],
    ],
  });
  const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
  const stateObject = (stack: StackName) => ({
    Bucket: account.stateBucket,
    Key: names.stateKey(stack, "teams/search"),
  });
  const readState = async (stack: StackName) => {
    const { Body } = await s3.send(new GetObjectCommand(stateObject(stack)));
    return JSON.parse((await Body?.transformToString()) ?? "");
  };
  return {
    cloud,
    account,
    project,
    folder,
    names,
    gateway: new APIGatewayClient(clientOptions(cloud)),
    s3,
    failure: () => failureOf(cloud, names.api("search-gateway"), cluster?.url ?? ""),
    stateOf: readState,
    async lose(stack, ...types) {
      const state = await readState(stack);
      const resources = state.resources.filter(({ type }: { type: string }) => !types.includes(type));
      const Body = JSON.stringify({ ...state, serial: state.serial + 1, resources });
      await s3.send(new PutObjectCommand({ ...stateObject(stack), Body }));
    },
    async parameters() {
      const ssm = new SSMClient(clientOptions(cloud));
      const below = { Path: names.parameterPrefix(), Recursive: true };
      const { Parameters = [] } = await ssm.send(new GetParametersByPathCommand(below));
      return Object.fromEntries(Parameters.map(({ Name = "", Value = "" }) => [Name.split("/").at(-1), Value]));
    },
  };
}

async function failureOf(cloud: Cloud, name: string, cluster: string): Promise<string | undefined> {
  const served = await serveDeployedApi({ cloud, name, cluster });
  try {
    const problems = problemsOf(served.api);
    if (problems.length > 0) return problems.join(", ");
    await proveGateway(served.url, served.api.keys[0] ?? "");
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    await served.stop();
  }
}

/** Returns the resources that a printed plan changes, as "+ address". */
export function changesIn(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => /^ {2}[+~±←.-] \S+$/.test(line))
    .map((line) => line.trim())
    .sort();
}
