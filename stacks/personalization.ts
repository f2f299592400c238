import type { Construct } from "constructs";
import type { ITerraformDependable } from "#cdktf";
import type { PersonalizeManagerEnvInput } from "../functions/personalize-manager/env.ts";
import { personalizeManagerPolicy } from "../functions/personalize-manager/policy.ts";
import { personalizeManager } from "../lib/infrastructure/functions.ts";
import { DATASETS } from "../lib/platform/contract/recommendation.ts";
import type { StackName } from "../lib/platform/naming/names.ts";
import { PREFIXES } from "../lib/platform/naming/object-keys.ts";
import { type DeployedFunction, lambdaFunction } from "./constructs/function.ts";
import { rolePolicy, serviceRole } from "./constructs/iam.ts";
import { boundToAliases, logKey, useProjectKey } from "./constructs/keys.ts";
import { personalizeResource, present } from "./constructs/personalize-resource.ts";
import { recommendationInput, type StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";

/** The Personalize resources (dataset group, schemas, datasets, event tracker) and the function that manages them. */
export class PersonalizationStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, input: StackInput) {
    super(scope, id, input);
    const manager = managerFunction(this, logKey(this, "personalization").arn);
    // Each resource depends on all of these, which must exist from the first invocation to the last.
    this.resources([...manager.ready, ...importRole(this)]);
    this.output("manager_role_arn", manager.role.arn);
  }

  private resources(ready: readonly ITerraformDependable[]): void {
    const { names } = this;
    const { schemas } = recommendationInput(this.input);
    const group = personalizeResource(this, "dataset-group", {
      desired: { kind: "dataset_group", name: names.datasetGroup() },
      dependsOn: ready,
    });
    const datasets = DATASETS.map((dataset) => {
      const name = names.schema(dataset, schemas[dataset]);
      const schema = personalizeResource(this, `schema-${dataset}`, {
        desired: { kind: "schema", name, schema: schemas[dataset] },
        dependsOn: ready,
      });
      return personalizeResource(this, `dataset-${dataset}`, {
        desired: { kind: "dataset", name: names.dataset(dataset), dataset, schema: name },
        dependsOn: [...ready, ...present([group, schema])],
      });
    });
    personalizeResource(this, "event-tracker", {
      desired: { kind: "event_tracker", name: names.eventTracker() },
      // Personalize stores tracked events in a separate dataset.
      dependsOn: [...ready, ...present([group, ...datasets])],
    });
  }
}

/** Adds the function through which Terraform manages Personalize. */
function managerFunction(stack: ProjectStack, logKeyArn: string): DeployedFunction {
  const { names, input } = stack;
  const project = input.config.project.project_name;
  const values = personalizeManager({ names, project, account: input.discovery.account });
  const anyKey = names.arn("kms", "key/*");
  const statements = personalizeManagerPolicy({
    project,
    region: stack.input.discovery.region,
    resource: (path) => names.arn("personalize", path),
    parameters: [names.eventTrackerParameter(), names.filterParameter("*"), names.campaignParameter("*")].map((name) =>
      names.arn("ssm", `parameter${name}`),
    ),
    trainingTable: names.arn("dynamodb", `table/${names.table("training")}`),
    key: anyKey,
    logGroup: names.arn("logs", `log-group:${names.functionLogGroup("personalize-manager")}`),
  });
  return lambdaFunction(stack, {
    name: "personalize-manager",
    description: "Creates, changes and removes resources of Personalize",
    ...values,
    environment: values.environment satisfies PersonalizeManagerEnvInput,
    // The table's key belongs to the stack `recommendation`, which is deployed later.
    statements: boundToAliases(stack, statements, anyKey, [names.serviceKmsAlias("recommendation")]),
    logKeyArn,
  });
}

/**
 * Adds the role with which Personalize reads ETL's output, and reads and writes batches. Personalize also requires that the policies of bucket and
 * key, in the stack `storage`, allow the service.
 */
function importRole(stack: ProjectStack): ITerraformDependable[] {
  const { names, input } = stack;
  const role = serviceRole(stack, "import-role", {
    name: names.role("personalize"),
    description: `Personalize reads the training data of ${input.config.project.project_name}`,
    service: "personalize.amazonaws.com",
    conditions: {
      StringEquals: { "aws:SourceAccount": input.discovery.account },
      ArnLike: { "aws:SourceArn": names.arn("personalize", "*") },
    },
  });
  const policy = rolePolicy(stack, "import-policy", role, [
    { sid: "ListTheBucket", actions: ["s3:ListBucket"], resources: [names.bucketArn()] },
    { sid: "ReadRuns", actions: ["s3:GetObject"], resources: [`${names.bucketArn()}/${PREFIXES.etl}*`] },
    {
      sid: "ReadAndWriteBatches",
      actions: ["s3:GetObject", "s3:PutObject"],
      resources: [`${names.bucketArn()}/${PREFIXES.batch}*`],
    },
    // CreateGrant is allowed by the key's policy alone, see PERSONALIZE_KEY_ACTIONS in storage.ts.
    useProjectKey(stack, ["kms:Decrypt", "kms:GenerateDataKey", "kms:DescribeKey", "kms:ListGrants"]),
  ]);
  return [role, policy];
}
