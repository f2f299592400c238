import { DISCOVERY_FORMAT, type Discovery, DiscoveryError } from "../../lib/infrastructure/discovery.ts";
import { namesOf, type Service } from "../../lib/platform/naming/names.ts";
import { PROJECT_TAG } from "../../lib/platform/naming/tags.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { type KeyNumbers, parseKeyNumbers } from "../key-numbers.ts";
import type { DiscoveryClients } from "./clients.ts";
import { explained } from "./explain.ts";
import { type AppliedInputs, discoverPersonalize } from "./personalize.ts";
import { discoverSearchGateway } from "./search-gateway.ts";

/**
 * Reads what the stacks need to know about the account; changes nothing. `applied` contains the Personalize inputs in
 * Terraform's state; resources that differ from them are marked for repair. Throws DiscoveryError with all problems
 * found, or at once for a wrong account or rejected credentials.
 */
export async function discover(
  config: Configuration,
  clients: DiscoveryClients,
  applied: AppliedInputs = {},
): Promise<Discovery> {
  const { project_name: project, aws } = config.project;
  const region = aws.region_name;
  const account = await explained("sts:GetCallerIdentity", clients.account());
  if (aws.account_id !== undefined && aws.account_id !== account) {
    throw new DiscoveryError([
      `the credentials belong to account ${account}, but aws.account_id in project.yaml is ${aws.account_id}: ` +
        "use credentials of that account, or change aws.account_id",
    ]);
  }
  const names = namesOf({ project, account, region, rolePath: aws.role_path });
  // A list for each, told in this order: two plans of one configuration say the same, whichever answer comes first.
  const problemsOf = { role: [] as string[], gateway: [] as string[], personalize: [] as string[] };
  const [apiGateway, gatewayKeys, recommendationKeys, searchGateway, personalize] = await Promise.all([
    discoverLogRole(config, clients, names.role("api-gateway-logs"), problemsOf.role),
    apiKeyNumbers(clients, names.apiKeyNumbersParameter("search-gateway"), "search-gateway"),
    apiKeyNumbers(clients, names.apiKeyNumbersParameter("recommendation"), "recommendation"),
    discoverSearchGateway(config, clients, { names, problems: problemsOf.gateway }),
    discoverPersonalize(config, clients, { names, applied, problems: problemsOf.personalize }),
  ]);
  const problems = Object.values(problemsOf).flat();
  if (problems.length > 0) throw new DiscoveryError(problems);
  return {
    format: DISCOVERY_FORMAT,
    account,
    region,
    apiGateway,
    apiKeys: { "search-gateway": gatewayKeys.default, recommendation: recommendationKeys.default },
    ...(config.api.keys && {
      namedKeys: { "search-gateway": gatewayKeys.named, recommendation: recommendationKeys.named },
    }),
    ...(searchGateway && { searchGateway }),
    ...(personalize && { personalize }),
  };
}

async function discoverLogRole(
  { project, api }: Configuration,
  clients: DiscoveryClients,
  defaultName: string,
  problems: string[],
): Promise<Discovery["apiGateway"]> {
  const name = api.cloud_watch_role_name ?? defaultName;
  const [logRoleArn, role] = await Promise.all([
    explained("apigateway:GET /account", clients.apiGatewayLogRole()),
    explained("iam:GetRole", clients.role(name)),
  ]);
  const current = logRoleArn?.split("/").at(-1);
  if (api.cloud_watch_role_name !== undefined && current !== undefined && current !== api.cloud_watch_role_name) {
    problems.push(
      `cloud_watch_role_name in api.yaml is ${api.cloud_watch_role_name}, but API Gateway in this account and region writes ` +
        `its logs with ${current}, which other APIs may need: remove cloud_watch_role_name, or set it to ${current}`,
    );
  }
  return {
    ...(logRoleArn !== undefined && { logRoleArn }),
    role: { name, exists: role !== undefined, owned: role?.tags[PROJECT_TAG] === project.project_name },
  };
}

/** The parameter exists only once a key was rotated. */
async function apiKeyNumbers(clients: DiscoveryClients, parameter: string, service: Service): Promise<KeyNumbers> {
  const numbers = parseKeyNumbers(await explained("ssm:GetParameter", clients.parameter(parameter)));
  if (typeof numbers !== "string") return numbers;
  throw new DiscoveryError([
    `parameter ${parameter} contains ${JSON.stringify(numbers)} instead of the API key numbers of ${service}: ` +
      "delete it to keep only key 1",
  ]);
}
