import type { Names, Service } from "../../lib/core/naming/names.ts";
import { type DeployedApi, findDeployedApi, keyValueFor } from "../deployed-api.ts";
import type { Session } from "../session.ts";
import type { Terminal } from "../terminal.ts";
import { type CheckResult, checkCluster, refusalAdvice } from "./check-cluster.ts";
import { writeParameters } from "./parameters.ts";

/** Writes URL, version and time of a deployment to the parameter store, which outlives the service. */
export async function recordDeployment(
  { sdk }: Session,
  names: Names,
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
export async function findDeployedApis(session: Session, names: Names): Promise<DeployedApi[]> {
  const services: readonly Service[] = ["search-gateway", "recommendation"];
  const found = await Promise.all(services.map((service) => findDeployedApi(session, names, service)));
  return found.filter((api) => api !== undefined);
}

/** ARN of the topic that alarms publish to unless `alarms.topics` names others. */
const alarmsTopicArn = (names: Names) => names.arn("sns", names.topic());

/** Returns the output of `relevance info --json`: URLs, keys and alarm topic of each service; values with `show`. */
export function apisJson(apis: readonly DeployedApi[], names: Names, { show }: { show: boolean }) {
  return Object.fromEntries(
    apis.map(({ service, url, executeUrl, keys }) => [
      service,
      {
        url,
        execute_url: executeUrl,
        keys: keys.map(({ key, name, value }) => ({ key, name, ...(show && { value }) })),
        alarms_topic_arn: alarmsTopicArn(names),
      },
    ]),
  );
}

/**
 * Prints URLs, keys and the alarm topic, which notifies nobody until somebody subscribes. Of the keys it prints the
 * names, and with `show` the values.
 */
export function printApis(
  terminal: Terminal,
  apis: readonly DeployedApi[],
  names: Names,
  { show }: { show: boolean },
): void {
  for (const { service, url, executeUrl, keys } of apis) {
    terminal.print(terminal.colors.bold(service));
    terminal.print(`  URL      ${url}`);
    if (url !== executeUrl) terminal.print(`           ${executeUrl}`);
    for (const { key, name, value } of keys) terminal.print(`  API key  ${show ? `${value}  ` : ""}${key} (${name})`);
  }
  if (apis.length === 0) return;
  if (!show) terminal.print("           `relevance info --show` prints the values of the keys");
  terminal.print(terminal.colors.bold("alarms"));
  terminal.print(`  topic    ${alarmsTopicArn(names)}`);
  terminal.print("           docs/guides/monitoring.md shows how to subscribe");
}

/** Requests the cluster's version through the API and prints the result. Returns false if the gateway does not work. */
export async function proveGateway(session: Session, names: Names, api: DeployedApi): Promise<boolean> {
  const { terminal, config, env } = session;
  const key = keyValueFor(api, config.api.keys, ["raw-backend"]);
  if (key === undefined) {
    terminal.note("No key may call the cluster's own API, so it is not checked whether the cluster answers.");
    return true;
  }
  // A local AWS endpoint does not serve APIs itself: RELEVANCE_API_URL is where they are served.
  const url = (env.AWS_ENDPOINT_URL && env.RELEVANCE_API_URL) || api.executeUrl;
  terminal.note("Checking that the cluster answers through the API");
  const result = await checkCluster({ url, key, ...(env.AWS_ENDPOINT_URL && { timeoutMs: 0 }) });
  const text = describe(result, names.roleArn(names.functionRole("api-router")), config);
  const works = result.kind === "works";
  terminal.note(works ? terminal.noteColors.green(text) : terminal.noteColors.yellow(text));
  return works || result.kind === "unreachable";
}

function describe(result: CheckResult, roleArn: string, { searchGateway }: Session["config"]): string {
  switch (result.kind) {
    case "works":
      return `The gateway works: the cluster answers with version ${result.version}.`;
    case "refused":
      return `The deployment is complete, but the cluster answers ${result.status}.\n${refusalAdvice(searchGateway?.opensearch.auth, roleArn)}`;
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
