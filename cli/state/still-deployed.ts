import { dirname, join } from "node:path";
import { Failure } from "../../lib/platform/failure.ts";
import type { Service } from "../../lib/platform/naming/names.ts";
import { type DeployedApi, findDeployedApi } from "../deployed-api.ts";
import { explained } from "../discovery/explain.ts";
import { failing, type TerraformProject } from "../project.ts";
import { openPersonalize } from "../recommendation/target.ts";
import { isConfigured, SERVICE_NAMES, SERVICES } from "../services.ts";
import { deployedStacks } from "./stacks.ts";

/** Returns whether a service is deployed: it has an API, or resources in Terraform's state. */
export async function isDeployed(project: TerraformProject, service: Service): Promise<boolean> {
  if (await apiOf(project, service)) return true;
  return (await deployedStacks(project, SERVICES[service].stacks)).length > 0;
}

/**
 * Throws Failure for a service that is deployed but no longer in project.yaml. Deploying the other service would remove
 * its permissions on bucket and key, and its files from the bucket.
 */
export async function refuseMissingSections(project: TerraformProject): Promise<void> {
  for (const service of SERVICE_NAMES) {
    if (isConfigured(project.config, service) || !(await isDeployed(project, service))) continue;
    const { words, sections, command } = SERVICES[service];
    throw new Failure(
      `The ${words} is still deployed, and a deployment without it would break it: restore ${sections} in project.yaml, ` +
        `or remove it first with \`relevance ${command} --destroy-infra false\``,
    );
  }
}

/**
 * Throws Failure for a service that exists but is missing from Terraform's state: somebody deployed it with another
 * state, which is needed to remove it. Does nothing if state and service are both gone.
 */
export async function refuseWithoutState(project: TerraformProject, service: Service): Promise<void> {
  const { names } = project;
  const { region } = project.sdk;
  const { words, command } = SERVICES[service];
  const api = await apiOf(project, service);
  const there = api
    ? `its API ${api.executeUrl} exists`
    : service === "recommendation" && (await hasDatasetGroup(project))
      ? `its dataset group ${names.datasetGroup()} exists`
      : undefined;
  if (there === undefined) return;
  const remainder = api
    ? `aws apigateway delete-rest-api --region ${region} --rest-api-id ${new URL(api.executeUrl).host.split(".")[0]}`
    : `aws personalize delete-dataset-group --region ${region} --dataset-group-arn ` +
      names.arn("personalize", `dataset-group/${names.datasetGroup()}`);
  throw new Failure(
    `The ${words} is deployed (${there}), but it is missing from Terraform's state in ${stateLocation(project)}. ` +
      `Run \`relevance ${command}\` with its state: in the folder it was deployed from, or with the terraform.state it was ` +
      "deployed with (type s3 shares the state; after a change `relevance plan` shows how to migrate it). " +
      `If nothing else of the service is left, delete it by hand: \`${remainder}\``,
  );
}

/** Returns where the project's state is expected, for messages. */
function stateLocation({ config, folders, names }: TerraformProject): string {
  const { state } = config.project.terraform;
  if (state.type === "local") return `${join(folders.state, dirname(names.stateFile("storage")))} on this machine`;
  return `s3://${state.bucket}/${dirname(names.stateKey("storage", state.key_prefix))}`;
}

function apiOf(project: TerraformProject, service: Service): Promise<DeployedApi | undefined> {
  return failing(explained("apigateway:GET", findDeployedApi(project, service)));
}

/** Calls Personalize only if the service is configured, since not every region has Personalize. */
async function hasDatasetGroup({ config, sdk, names }: TerraformProject): Promise<boolean> {
  if (!config.recommendation) return false;
  const [{ DescribeDatasetGroupCommand }, { ignoreNotFound }] = await Promise.all([
    import("@aws-sdk/client-personalize"),
    import("../../lib/platform/aws/errors.ts"),
  ]);
  const datasetGroupArn = names.arn("personalize", `dataset-group/${names.datasetGroup()}`);
  const personalize = await openPersonalize(sdk);
  const asked = personalize.send(new DescribeDatasetGroupCommand({ datasetGroupArn }));
  return (await failing(explained("personalize:DescribeDatasetGroup", ignoreNotFound(asked)))) !== undefined;
}
