import type { Names, Service } from "../../lib/core/naming/names.ts";
import { type DeployedApi, findDeployedApi } from "../deployed-api.ts";
import { type CheckResult, checkCluster, refusalAdvice } from "../plan/check-cluster.ts";
import type { Session } from "../session.ts";
import type { Terminal } from "../terminal.ts";
import { writeParameters } from "./parameters.ts";

/** Writes what outlives a service to the parameter store. */
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

/** The deployed APIs of an account. */
export async function findDeployedApis(session: Session, names: Names): Promise<DeployedApi[]> {
  const services: readonly Service[] = ["search-gateway", "recommendation"];
  const found = await Promise.all(services.map((service) => findDeployedApi(session, names, service)));
  return found.filter((api) => api !== undefined);
}

/** ARN of the topic that the alarms of both services tell. */
const alarmsTopicArn = (names: Names) => names.arn("sns", names.topic());

/** What `relevance info --json` prints: by service its URLs, keys, and the topic of its alarms. */
export function apisJson(apis: readonly DeployedApi[], names: Names) {
  return Object.fromEntries(
    apis.map(({ service, url, executeUrl, keys }) => [
      service,
      {
        url,
        execute_url: executeUrl,
        api_keys: keys.map(({ value }) => value),
        alarms_topic_arn: alarmsTopicArn(names),
      },
    ]),
  );
}

/** URL and keys as a person copies them, and the topic of alarms, which tells nobody until somebody subscribes. */
export function printApis(terminal: Terminal, apis: readonly DeployedApi[], names: Names): void {
  for (const { service, url, executeUrl, keys } of apis) {
    terminal.print(terminal.colors.bold(service));
    terminal.print(`  URL      ${url}`);
    if (url !== executeUrl) terminal.print(`           ${executeUrl}`);
    for (const { value, name } of keys) terminal.print(`  API key  ${value}${keys.length > 1 ? `  (${name})` : ""}`);
  }
  if (apis.length === 0) return;
  terminal.print(terminal.colors.bold("alarms"));
  terminal.print(`  topic    ${alarmsTopicArn(names)}`);
  terminal.print("           docs/guides/monitoring.md says how to subscribe to it");
}

/** Asks the cluster for its version through the API and says what came of it. Gives whether the gateway works. */
export async function proveGateway(session: Session, names: Names, api: DeployedApi): Promise<boolean> {
  const { terminal, config, env } = session;
  const key = api.keys.at(-1)?.value ?? "";
  // A local AWS endpoint does not serve the APIs that it holds: whoever does says where.
  const url = (env.AWS_ENDPOINT_URL && env.RELEVANCE_API_URL) || api.executeUrl;
  terminal.note("Asking the cluster through the API");
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
      return `Everything is deployed, but the cluster answers ${result.status}.\n${refusalAdvice(searchGateway?.opensearch.auth, roleArn)}`;
    case "failed":
      return (
        `Everything is deployed, but a request through the API ends with ${result.status}: ${result.message}\n` +
        "The log of the function api-router says more. A cluster that cannot be reached: do its security group and " +
        "subnets let the functions in? `relevance deploy` asks again."
      );
    case "unreachable":
      return `The API could not be asked from this machine (${result.reason}). Try it from where it will be called.`;
  }
}
