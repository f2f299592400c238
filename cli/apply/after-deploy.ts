import type { Names } from "../../lib/platform/naming/names.ts";
import { type Alarms, alarmTopics } from "../../lib/settings/alarms.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { type DeployedApi, findDeployedApi, keyValueFor } from "../deployed-api.ts";
import { writeParameters } from "../discovery/sdk/parameters.ts";
import type { Project } from "../project.ts";
import { SERVICE_NAMES } from "../services.ts";
import type { Terminal } from "../terminal.ts";
import { type CheckResult, checkCluster, refusalAdvice } from "./check-cluster.ts";
import { clusterRoles, type FunctionsClusterRole } from "./cluster-roles.ts";

/** Writes URL, version and time of a deployment to the parameter store, which outlives the service. */
export async function recordDeployment(
  { sdk, names }: Project,
  { service, url }: DeployedApi,
  version: string,
): Promise<void> {
  await writeParameters(sdk, {
    [names.serviceParameter(service, "api-url")]: url,
    [names.serviceParameter(service, "version")]: version,
    [names.serviceParameter(service, "deployed-at")]: new Date().toISOString(),
  });
}

/** Finds the deployed APIs of the project. */
export async function findDeployedApis(project: Project): Promise<DeployedApi[]> {
  const found = await Promise.all(SERVICE_NAMES.map((service) => findDeployedApi(project, service)));
  return found.filter((api) => api !== undefined);
}

interface Shown {
  names: Names;
  /** `alarms` of project.yaml. */
  alarms: Alarms;
  /** Whether the values of the keys are printed. */
  show: boolean;
}

/** Returns the output of `relevance info --json`: URLs, keys and alarm topics of each service. */
export function apisJson(apis: readonly DeployedApi[], { names, alarms, show }: Shown) {
  return Object.fromEntries(
    apis.map(({ service, url, executeUrl, authorization, keys }) => [
      service,
      {
        url,
        execute_url: executeUrl,
        authorization,
        keys: keys.map(({ key, name, value }) => ({ key, name, ...(show && { value }) })),
        alarm_topics: alarmTopics(alarms, names),
      },
    ]),
  );
}

/** How callers are authorized without API keys. */
const CALLERS = {
  iam: "sign their requests (authorization: iam); there are no API keys",
  lambda: "are authorized by your function (authorization: lambda); there are no API keys",
} as const;

/** Prints URLs, the names of the keys, and the alarm topics, which notify nobody until somebody subscribes. */
export function printApis(terminal: Terminal, apis: readonly DeployedApi[], { names, alarms, show }: Shown): void {
  for (const { service, url, executeUrl, authorization, keys } of apis) {
    terminal.print(terminal.colors.bold(service));
    terminal.print(`  URL      ${url}`);
    if (url !== executeUrl) terminal.print(`           ${executeUrl}`);
    if (authorization !== "api_key") terminal.print(`  callers  ${CALLERS[authorization]}`);
    for (const { key, name, value } of keys) terminal.print(`  API key  ${show ? `${value}  ` : ""}${key} (${name})`);
  }
  if (apis.length === 0) return;
  if (!show && apis.some(({ keys }) => keys.length > 0))
    terminal.print("           `relevance info --show` prints the values of the keys");
  terminal.print(terminal.colors.bold("alarms"));
  const { critical, warning } = alarmTopics(alarms, names);
  if (critical === warning) {
    terminal.print(`  topic    ${critical}`);
  } else {
    terminal.print(`  critical ${critical}`);
    terminal.print(`  warning  ${warning}`);
  }
  terminal.print("           docs/guides/monitoring.md shows how to subscribe");
}

/** Requests the cluster's version through the API and prints the result. Returns false if the gateway does not work. */
export async function proveGateway(
  { terminal, config, env, names }: Pick<Project, "config" | "terminal" | "env" | "names">,
  api: DeployedApi,
): Promise<boolean> {
  const key =
    keyValueFor(api, config.api.keys, ["raw-backend"]) ?? keyValueFor(api, config.api.keys, ["administration"]);
  if (key === undefined) {
    const { authorization } = config.api;
    const why =
      authorization === "api_key"
        ? "No key may call the cluster's own API"
        : `There is no API key (authorization: ${authorization})`;
    terminal.note(`${why}, so \`deploy\` does not check whether the cluster answers.`);
    return true;
  }
  terminal.note("Checking that the cluster answers through the API");
  const result = await checkCluster({ url: api.executeUrl, key, ...(env.AWS_ENDPOINT_URL && { timeoutMs: 0 }) });
  const text = describe(result, clusterRoles(config, names), config);
  const works = result.kind === "works" || result.kind === "not-let-through";
  terminal.note(works ? terminal.noteColors.green(text) : terminal.noteColors.yellow(text));
  return works || result.kind === "unreachable";
}

function describe(
  result: CheckResult,
  roles: readonly FunctionsClusterRole[],
  { searchGateway }: Configuration,
): string {
  switch (result.kind) {
    case "works":
      return `The gateway works: the cluster answers with version ${result.version}.`;
    case "not-let-through":
      return (
        `The gateway answers. The rule "${result.rule}" of raw_backend keeps this request from the cluster, so \`deploy\` ` +
        "cannot check whether the cluster answers."
      );
    case "refused":
      return `The deployment is complete, but the cluster answers ${result.status}.\n${refusalAdvice(searchGateway?.opensearch.auth, roles)}`;
    case "failed":
      return (
        `The deployment is complete, but a request through the API answers ${result.status}: ${result.message}\n` +
        "See the log of the function api-router. If it cannot reach the cluster, check that the cluster's security group " +
        "and subnets admit the functions. `relevance deploy` checks again."
      );
    case "unreachable":
      return `This machine cannot reach the API (${result.reason}). Try it from a machine that will call it.`;
  }
}
