import { rmSync } from "node:fs";
import { join } from "node:path";
import { PersonalizeClient } from "@aws-sdk/client-personalize";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { buildFunctions } from "../../build/functions.ts";
import { repairMarkers } from "../../cli/discovery/personalize.ts";
import { appliedInputs } from "../../cli/state/stacks.ts";
import { type Inventory, readInventory } from "../../lib/personalize/resources/inventory.ts";
import { personalizeOf } from "../../lib/personalize/resources/personalize.ts";
import type { RecipeKind } from "../../lib/platform/contract/recommendation.ts";
import { type FunctionName, type Names, namesOf, type StackName } from "../../lib/platform/naming/names.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import type { Cloud } from "../../packages/local-aws/cloud/front.ts";
import type { StandIn } from "../../packages/local-aws/cloud/stand-in.ts";
import { createPersonalize, type PersonalizeStandIn } from "../../packages/local-personalize/personalize.ts";
import { importCsv, interactionsCsv, trainVersion } from "../../packages/local-personalize/test/book-shop.ts";
import { memoryObjects } from "../../packages/local-personalize/test/harness.ts";
import { tasteData } from "../../packages/local-personalize/test/taste-data.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import type { Artifacts, StackInput } from "../../stacks/input.ts";
import { synthesizeRemoval } from "../../stacks/removal.ts";
import { synthesize } from "../../stacks/synthesize.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { discoveryOf, recommendation } from "../fixtures/configurations/configurations.ts";
import { asDeployer } from "../fixtures/deployer.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { servedProvider } from "../fixtures/served-provider.ts";
import { initTerraform, requireTerraform, startTerraform, terraformOk } from "../fixtures/terraform.ts";
import type { suite } from "../suite.ts";

/** The stacks of the recommendation service in their own cloud, with the local Personalize in it. */
export interface RecommendationWorld {
  cloud: Cloud;
  names: Names;
  client: PersonalizeClient;
  control: PersonalizeStandIn["control"];
  /** The input of the next plan, which tests change. */
  input: { config: Configuration; repairs: Record<string, string>; artifacts: Artifacts };
  inventory(): Promise<Inventory>;
  /** Returns the ARN of the filter that requests with this name use. */
  pointer(filter: string): Promise<string | undefined>;
  /** Plans a stack. Returns its changes, such as "update aws_lambda_invocation.filter-category", sorted. */
  planned(stack: StackName, more?: Partial<StackInput>): Promise<string[]>;
  /** Applies the last plan. */
  applied(stack: StackName): Promise<void>;
  /** Plans and applies in one run, one resource after another. The run can be killed with all its processes. */
  start(stack: StackName, args?: readonly string[], more?: Partial<StackInput>): Promise<Run>;
  /** Removes everything in a stack's state, in the same way. */
  startRemoval(stack: StackName): Promise<Run>;
  /** Returns the inputs that were applied last. */
  appliedInputs(stack: StackName): Promise<Record<string, object>>;
  /** Reads Personalize and marks what differs, as each plan of the command line does. */
  discover(...stacks: StackName[]): Promise<void>;
  /** Returns Terraform's state of a stack. */
  stateOf(stack: StackName): Promise<State>;
  /** Removes everything in a stack's state. */
  removed(stack: StackName): Promise<void>;
  /** Imports generated events and trains a version for a recipe, as training does; returns its ARN. */
  train(recipe: RecipeKind): Promise<string>;
  /** Works while the clock of Personalize stands still, so that its operations stay in progress. */
  withFrozenClock(work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** A running Terraform. */
export type Run = ReturnType<typeof startTerraform>;

/** The parts of a state that tests look at. */
export interface State {
  resources: unknown[];
}

export interface WorldOptions {
  /** Names the working folder. */
  name: string;
  functions?: readonly FunctionName[];
  /** What is deployed first, and what the deployer's policies are for. Default: the small example. */
  config?: Configuration;
  /** Called for each successful operation of Personalize before its answer is sent. */
  onSuccess?: (operation: string) => void;
}

const ONE_BY_ONE = ["apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=1"];

/** Starts the cloud, builds the functions, and returns the operations of tests. */
async function createRecommendationWorld({
  name,
  functions,
  config: first = recommendation(),
  onSuccess = () => {},
}: WorldOptions): Promise<RecommendationWorld> {
  const tool = requireTerraform();
  const files = new Map<string, string>();
  const objects = memoryObjects(files);
  const delays = { pending: 20, working: 60, deploying: 60 };
  let heldAt: number | undefined;
  const clock = { now: () => heldAt ?? Date.now() };
  const personalize = createPersonalize({ accountId: ACCOUNT_ID, region: REGION, delays, objects, clock });
  const cloud = await ownCloud({ standIns: [watched(personalize, onSuccess)] });
  const deployer = await asDeployer(cloud, first);
  const folder = scratchFolder(TEST_OUTPUT, name);
  const names = namesOf({ project: "my-project", account: ACCOUNT_ID, region: REGION });
  const client = new PersonalizeClient(clientOptions(cloud));
  const ssm = new SSMClient(clientOptions(cloud));
  const built = await buildFunctions({ outdir: join(folder, "functions"), ...(functions && { functions }) });
  const input: RecommendationWorld["input"] = { config: first, repairs: {}, artifacts: built };
  const place = { outdir: join(folder, "stacks"), stateFolder: join(folder, "state"), maxRetries: 2 };
  const initialized = new Set<string>();
  const provider = await servedProvider(deployer, join(folder, "served/beside/stacks"));
  const env = { ...deployer.env, ...provider };
  const run = (directory: string, ...args: string[]) => terraformOk(tool, directory, args, env);

  /** Rewrites the stack's folder, and returns it. */
  async function written(stack: StackName, more: Partial<StackInput> = {}): Promise<string> {
    const { config, repairs, artifacts } = input;
    const discovery = { ...discoveryOf(config), personalize: { repairs } };
    const all = { config, discovery, artifacts, ...place, stacks: [stack], ...more };
    const [{ directory } = { directory: "" }] = synthesize(all);
    if (!initialized.has(directory)) await initTerraform(tool, directory, { env });
    initialized.add(directory);
    return directory;
  }
  const folderOf = (stack: StackName) => join(place.outdir, "stacks", stack);
  const stateOf = async (stack: StackName) => JSON.parse((await run(folderOf(stack), "state", "pull")).stdout);
  const inventory = () => readInventory(personalizeOf(client), names);

  return {
    cloud,
    names,
    client,
    control: personalize.control,
    input,
    inventory,
    async pointer(filter) {
      return (await ssm.send(new GetParameterCommand({ Name: names.filterParameter(filter) }))).Parameter?.Value;
    },
    async planned(stack, more) {
      const directory = await written(stack, more);
      await run(directory, "plan", "-input=false", "-no-color", "-out=plan");
      const { stdout } = await run(directory, "show", "-json", "plan");
      return changesOf(JSON.parse(stdout));
    },
    async applied(stack) {
      await run(folderOf(stack), "apply", "-no-color", "plan");
    },
    async start(stack, args = [], more = {}) {
      return startTerraform(tool, await written(stack, more), [...ONE_BY_ONE, ...args], env);
    },
    async startRemoval(stack) {
      synthesizeRemoval({ config: input.config, account: ACCOUNT_ID, stacks: [stack], ...place });
      return startTerraform(tool, folderOf(stack), ONE_BY_ONE, env);
    },
    stateOf,
    appliedInputs: async (stack) => appliedInputs(await stateOf(stack)),
    async discover(...stacks) {
      const applied = await Promise.all(stacks.map(async (stack) => appliedInputs(await stateOf(stack))));
      input.repairs = repairMarkers(Object.assign({}, ...applied), await inventory());
    },
    async removed(stack) {
      synthesizeRemoval({ config: input.config, account: ACCOUNT_ID, stacks: [stack], ...place });
      await run(folderOf(stack), "apply", "-auto-approve", "-input=false", "-no-color");
    },
    async withFrozenClock(work) {
      heldAt = Date.now();
      try {
        await work();
      } finally {
        heldAt = undefined;
      }
    },
    async stop() {
      await cloud.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    train: (recipe) => train({ client, names, files, control: personalize.control }, recipe),
  };
}

/** Declares one test. Tests run in order on one world, each on the state that the previous one left. */
export type WorldStep = (name: string, work: (world: RecommendationWorld) => Promise<void>) => void;

/** Gives a suite its world. Returns the function that declares its tests. */
export function stepsOf(test: ReturnType<typeof suite>, options: WorldOptions): WorldStep {
  const started = Promise.withResolvers<RecommendationWorld>();
  test.before(async () => started.resolve(await createRecommendationWorld(options)));
  test.after(async () => (await started.promise).stop());
  return (name, work) => test(name, async () => work(await started.promise));
}

interface Plan {
  resource_changes?: { address: string; change: { actions: string[] } }[];
}

function changesOf({ resource_changes = [] }: Plan): string[] {
  return resource_changes
    .filter(({ change }) => change.actions.join() !== "no-op")
    .map(({ address, change }) => `${change.actions} ${address}`)
    .sort();
}

function watched(standIn: StandIn, onSuccess: (operation: string) => void): StandIn {
  return {
    services: standIn.services,
    async handle(request) {
      const answer = await standIn.handle(request);
      const operation = request.headers["x-amz-target"]?.split(".")[1];
      if (operation !== undefined && answer.status < 300) onSuccess(operation);
      return answer;
    },
  };
}

/** The name of each recipe in Personalize. */
const RECIPES: Readonly<Record<RecipeKind, string>> = {
  user_personalization: "aws-user-personalization",
  similar_items: "aws-sims",
  personalized_ranking: "aws-personalized-ranking",
};

async function train(
  {
    client,
    names,
    files,
    control,
  }: Pick<RecommendationWorld, "client" | "names" | "control"> & {
    files: Map<string, string>;
  },
  recipe: RecipeKind,
): Promise<string> {
  const harness = { personalize: client, files, settle: () => control.advance(60_000) };
  if (files.size === 0) {
    const job = await importCsv(harness, names.datasetArn("interaction"), interactionsCsv(tasteData().events));
    if (job?.status !== "ACTIVE") throw new Error(`the import is ${job?.status}: ${job?.failureReason}`);
  }
  const name = `${names.solutionPrefix(recipe)}00000000`;
  const groupArn = names.arn("personalize", `dataset-group/${names.datasetGroup()}`);
  const { solutionVersionArn } = await trainVersion(harness, { groupArn }, RECIPES[recipe], { name });
  return solutionVersionArn;
}
