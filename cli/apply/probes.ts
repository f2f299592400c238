import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { hasSuggestions, modelEndpoints } from "../../lib/infrastructure/endpoints.ts";
import { denialNamed, failureKind } from "../../lib/platform/aws/errors.ts";
import { PROBE_KINDS, PROBE_STATES, type Probe, type ProbeEvent } from "../../lib/platform/http/probe.ts";
import { parseJson } from "../../lib/platform/json/values.ts";
import { type FunctionName, LIVE_ALIAS } from "../../lib/platform/naming/names.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { isEndpointModel, MODEL_NAMES } from "../../lib/settings/embedding-models.ts";
import { endpointName } from "../../lib/settings/model-sources.ts";
import { RERANKER } from "../../lib/settings/rerank-models.ts";
import type { Project } from "../project.ts";

const Probes = v.array(
  v.object({
    kind: v.picklist(PROBE_KINDS),
    name: v.string(),
    state: v.picklist(PROBE_STATES),
    error: v.optional(v.object({ name: v.string(), message: v.string() })),
  }),
);

/** Invokes a deployed function. Returns its answer as JSON, or throws the SDK's error. */
export type Invoke = (fn: FunctionName, event: ProbeEvent) => Promise<{ payload: string; failed: boolean }>;

type Probed = Pick<Project, "config" | "terminal" | "names">;

/** How long to call again what denies access: IAM needs some seconds until a new role's permissions work everywhere. */
export interface Patience {
  timeoutMs: number;
  intervalMs: number;
}

const PATIENCE: Patience = { timeoutMs: 60_000, intervalMs: 5_000 };

/**
 * Lets the deployed functions call the cluster, each model and each trained campaign once, with their own permissions, and
 * reports the outcome. Returns whether nothing failed: neither a missing permission to invoke the functions nor a cluster that
 * does not answer yet is a failure of the deployment.
 */
export async function probeServices(project: Probed, invoke: Invoke, patience: Patience = PATIENCE): Promise<boolean> {
  let works = true;
  for (const fn of functionsToProbe(project.config)) {
    project.terminal.note(`Calling all that ${fn} calls once`);
    const waiting = () =>
      project.terminal.note(`  waiting until IAM grants ${fn} all its permissions, which takes a while`);
    if (!(await reportOf(project, fn, () => answerOf(fn, invoke, patience, waiting)))) works = false;
  }
  return works;
}

/** Returns the functions that call the cluster, models or campaigns, or read documents. */
const functionsToProbe = ({ searchGateway, recommendation }: Configuration): FunctionName[] => [
  ...(searchGateway ? ["api-router" as const] : []),
  ...(searchGateway && hasSuggestions(searchGateway) ? ["suggestions" as const] : []),
  ...(recommendation ? ["recommendation-api" as const] : []),
];

interface Answer {
  payload: string;
  /** Undefined if the function failed as a whole. */
  probes: v.InferOutput<typeof Probes> | undefined;
}

async function answerOf(
  fn: FunctionName,
  invoke: Invoke,
  { timeoutMs, intervalMs }: Patience,
  waiting: () => void,
): Promise<Answer> {
  const end = performance.now() + timeoutMs;
  for (let round = 1; ; round += 1) {
    const { payload, failed } = await invoke(fn, { probe: true });
    const parsed = v.safeParse(Probes, parseJson(payload));
    const probes = !failed && parsed.success ? parsed.output : undefined;
    const denied = probes?.some(({ error }) => error && denialNamed(error.name) === "forbidden") ?? false;
    if (!denied || performance.now() + intervalMs > end) return { payload, probes };
    if (round === 1) waiting();
    await sleep(intervalMs);
  }
}

async function reportOf(project: Probed, fn: FunctionName, ask: () => Promise<Answer>): Promise<boolean> {
  const { terminal, names } = project;
  const { green, yellow } = terminal.noteColors;
  let answer: Answer;
  try {
    answer = await ask();
  } catch (error) {
    const denied = failureKind(error) === "denied";
    const why = denied ? "the credentials may not call lambda:InvokeFunction" : String(error);
    terminal.note(yellow(`  Not checked whether they work: ${why}.`));
    return denied;
  }
  if (!answer.probes) {
    terminal.note(yellow(`The deployment is complete, but ${fn} fails: ${answer.payload.slice(0, 500)}`));
    terminal.note(yellow(`See the log ${names.functionLogGroup(fn)}.`));
    return false;
  }
  for (const probe of answer.probes) {
    const works = probe.state === "works" || probe.state === "untrained";
    terminal.note(works ? green(successText(probe)) : yellow(failureText(project, probe)));
  }
  if (answer.probes.some(({ kind, name }) => kind === "cluster" && /\ball_access\b/.test(name)))
    terminal.note(
      `    ${fn} is an administrator of the cluster: \`relevance cluster-role\` prints a role that is enough`,
    );
  const failed = answer.probes.filter(({ state }) => state === "failed");
  if (failed.length === 0) return true;
  const what = failed.map(({ kind, name }) => `the ${kind} ${name}`.trim()).join(" and ");
  terminal.note(
    yellow(
      `The deployment is complete, but ${what} cannot be called. Fix the cause, then run \`relevance deploy\` to check again.`,
    ),
  );
  return false;
}

const successText = ({ kind, name, state }: Pick<Probe, "kind" | "name" | "state">) =>
  `  ${`${kind} ${name}`.trim()}: ${state === "untrained" ? "not trained yet" : "works"}`;

type Failed = v.InferOutput<typeof Probes>[number];

function failureText(project: Probed, probe: Failed): string {
  const { name = "Error", message = "" } = probe.error ?? {};
  const advice = {
    model: () => modelAdvice(project, probe.name, name),
    campaign: () => campaignAdvice(name),
    cluster: () =>
      probe.state === "unreachable"
        ? "Whether it knows the function is therefore not checked. Check its address, and that its security group and subnets " +
          "admit the functions."
        : "If it has fine-grained access control, send the calls that `relevance cluster-role` prints. Else check its access policy.",
    document: () =>
      "The function reads it from the project's bucket: check that its subnets lead to S3, and that no policy denies it.",
  }[probe.kind]();
  const how = probe.state === "unreachable" ? "does not answer:" : `failed with ${name}:`;
  return `  ${`${probe.kind} ${probe.name}`.trim()}: ${how} ${message}\n    ${advice}`;
}

/** Returns what to do about a model that cannot be called. */
function modelAdvice({ config, names }: Probed, model: string, error: string): string {
  const known = model === RERANKER ? RERANKER : MODEL_NAMES.find((one) => one === model);
  const region = config.project.aws.region_name;
  if (known && (known === RERANKER || isEndpointModel(known))) {
    if (error === "ModelFilesError") return "Run `make models` and deploy again.";
    const endpoints = config.searchGateway ? modelEndpoints(config.searchGateway) : [];
    const called = endpoints.filter((one) => one.model === known).map((one) => endpointName(one, names));
    const [first = "", ...more] = called;
    return (
      `See the endpoint ${[first, ...more].join(" or ")} in the SageMaker console, and its log /aws/sagemaker/Endpoints/` +
      `${first}. It must serve ${known} with Text Embeddings Inference.`
    );
  }
  if (denialNamed(error) === "forbidden") {
    return (
      `Give the account access to the model in ${region}: request it in the Bedrock console under "Model access"; where that ` +
      "page does not list it, call it once in the playground as a user who may subscribe (aws-marketplace:Subscribe). Also " +
      "check whether a service control policy denies bedrock:InvokeModel. Bedrock may deny a model up to 15 minutes after " +
      "the first calls: `relevance status` calls it again."
    );
  }
  if (/^(Validation|ResourceNotFound)/.test(error)) {
    return (
      `Check that Bedrock has the model in ${region}, and, for ext_embed_bedrock, model_id and dimension in model.yaml. Some ` +
      "models can only be called by the id of an inference profile, such as eu.cohere.embed-v4:0."
    );
  }
  return "Check model_id and dimension in model.yaml, and the model's quotas in Service Quotas.";
}

/** Returns what to do about a campaign that cannot be called. */
function campaignAdvice(error: string): string {
  if (denialNamed(error) === "forbidden") {
    return "The function may not call the campaign: check that its ARN has this account and region, and no service control policy denies it.";
  }
  if (/^ResourceNotFound/.test(error)) {
    return "There is no such campaign: train it, or correct personalized_ranking.campaign_arn in api.yaml.";
  }
  return "Check that the campaign is ACTIVE in the Personalize console and belongs to this account and region.";
}

/** Returns how to invoke the functions of a deployment. */
export async function lambdaInvoke({ sdk, names }: Pick<Project, "sdk" | "names">): Promise<Invoke> {
  const { InvokeCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
  const lambda = new LambdaClient(sdk);
  return async (fn, event) => {
    const { Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: names.function(fn), Qualifier: LIVE_ALIAS, Payload: JSON.stringify(event) }),
    );
    return { payload: Buffer.from(Payload ?? []).toString("utf8"), failed: FunctionError !== undefined };
  };
}
