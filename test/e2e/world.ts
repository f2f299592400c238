import { cpSync } from "node:fs";
import { join } from "node:path";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SFNClient } from "@aws-sdk/client-sfn";
import { type Names, namesOf } from "../../lib/platform/naming/names.ts";
import { type DemoData, demoData } from "../../packages/demo-data/readers.ts";
import { openPersonalize } from "../../packages/local/dev/recommendation.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import type { Cloud } from "../../packages/local-aws/cloud/front.ts";
import { seedAccount } from "../../packages/local-aws/cloud/seed.ts";
import { createModelStandIns } from "../../packages/local-models/stand-ins.ts";
import type { PersonalizeStandIn } from "../../packages/local-personalize/personalize.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { type TestProject, testProject } from "../infrastructure/project.ts";
import { addRecommendationFiles, PERSONALIZE } from "../infrastructure/recommendation-project.ts";

/** Declares one test. Tests run in order, each on the state that the previous one left. */
export type Step = (name: string, work: () => void | Promise<void>) => void;

/** An account with a cluster, and a project with both services in it. */
export interface World {
  cloud: Cloud;
  cluster: string;
  project: TestProject;
  names: Names;
  lambda: LambdaClient;
  sfn: SFNClient;
  personalize: PersonalizeStandIn;
  /** Keeps every operation of Personalize in progress until the clock is released. */
  holdClock(): void;
  releaseClock(): void;
  data: DemoData;
}

const NAME = "shop";

/** Enough for every recipe's minimum; each training takes seconds. */
const SIZE = { books: 300, readers: 60, interactions: 3_000 };

/** Creates the account, the cluster and the project, without deploying it. */
export async function createWorld(): Promise<World> {
  const names = namesOf({ project: NAME, account: ACCOUNT_ID, region: REGION });
  const folder = scratchFolder(TEST_OUTPUT, "e2e");
  const models = await createModelStandIns({
    modelOfEndpoint: (name) => (name.startsWith(`${names.endpoint("sparse_v3")}-`) ? "sparse_v3" : undefined),
  });
  const endpoint = Promise.withResolvers<string>();
  let heldAt: number | undefined;
  const personalize = openPersonalize(folder, endpoint.promise, {
    clock: { now: () => heldAt ?? Date.now() },
  });
  // Its last 15 seconds are for the answer, so another invocation joins work that takes longer than the 15 before.
  const shortCalls = { [names.function("personalize-manager")]: 30 };
  const cloud = await ownCloud({
    standIns: [models, personalize],
    longestWaitSeconds: 0.5,
    shortCalls,
  });
  endpoint.resolve(cloud.endpoint);
  const account = await seedAccount(cloud);
  const [cluster] = await clusters();
  const mappings = [{ embedding_field: "description_sparse", model_name: "sparse_v3", src_fields: ["description"] }];
  const project = await testProject({
    folder,
    cloud,
    account,
    configuration: "no-custom-domain",
    name: NAME,
    changes: [
      ["hybrid_search.yaml", ["hybrid_queries"], [{ index: "products", embedding_mappings: mappings }]],
      ["model.yaml", ["sparse_v3"], { initial_instance_count: 1, instance_type: "ml.c6i.2xlarge" }],
      PERSONALIZE,
      ["project.yaml", ["personalize", "event_buffer_seconds"], 0],
    ],
  });
  addRecommendationFiles(project);
  cpSync(join(ROOT, "conf.local/recommendation.yaml"), join(project.folder, "conf/recommendation.yaml"));
  return {
    cloud,
    cluster: cluster?.url ?? "",
    project,
    names,
    lambda: new LambdaClient(clientOptions(cloud)),
    sfn: new SFNClient(clientOptions(cloud)),
    personalize,
    holdClock: () => {
      heldAt = Date.now();
    },
    releaseClock: () => {
      heldAt = undefined;
    },
    data: demoData(SIZE),
  };
}
