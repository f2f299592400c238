import { join, resolve } from "node:path";
import type { Construct } from "constructs";
import { App } from "#cdktf/app";
import { DISCOVERY_FORMAT, type Discovery } from "../lib/infrastructure/discovery.ts";
import type { StackName } from "../lib/platform/naming/names.ts";
import type { Artifacts, StackInput } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";
import { type SynthesizedStack, synthesize } from "./synthesize.ts";

/**
 * API Gateway's log role is one setting for all APIs of the account and region. Other APIs may use ours by now, so it
 * is kept.
 */
const LEFT_BEHIND = [
  "aws_iam_role_policy_attachment.api-gateway-logs-policy",
  "aws_iam_role.api-gateway-logs",
  "aws_api_gateway_account.api-gateway-account",
];

export interface RemovalInput extends Pick<StackInput, "config" | "outdir" | "stateFolder" | "maxRetries"> {
  account: string;
  stacks: readonly StackName[];
}

/** A stack with provider and state but without resources: its plan removes everything in the state. */
class BareStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, input: RemovalInput) {
    super(scope, id, { ...input, discovery: nothingDiscovered(input), artifacts: {} });
    if (id !== "foundation") return;
    const left = LEFT_BEHIND.map((from) => ({ from, lifecycle: { destroy: false } }));
    this.addOverride("removed", left);
  }
}

/**
 * Writes stacks without their resources, in the given order, to remove or read what their state contains. Needs no
 * discovery, so removal works even after the domain or the network was deleted.
 */
export function synthesizeRemoval(input: RemovalInput): SynthesizedStack[] {
  const app = new App({ outdir: input.outdir });
  for (const name of input.stacks) new BareStack(app, name, input);
  app.synth();
  return input.stacks.map((name) => ({ name, directory: join(resolve(input.outdir), "stacks", name) }));
}

/**
 * Writes the stack `personalization` without deletion protection, so that it can be removed afterwards. Applied to an
 * unchanged deployment it changes nothing else, except the function's code if this version is newer.
 */
export function synthesizeDeletable(
  input: Omit<RemovalInput, "stacks"> & NonNullable<StackInput["uninstall"]> & { artifacts: Artifacts },
): SynthesizedStack[] {
  const { applied, inVpc, ...rest } = input;
  return synthesize({
    ...rest,
    discovery: nothingDiscovered(input),
    stacks: ["personalization"],
    uninstall: { applied, inVpc },
  });
}

/** Returns a discovery for stacks that do not depend on the account's contents. */
function nothingDiscovered({ config, account }: Pick<RemovalInput, "config" | "account">): Discovery {
  return {
    format: DISCOVERY_FORMAT,
    account,
    region: config.project.aws.region_name,
    apiGateway: { role: { name: "", exists: false, owned: false } },
    apiKeys: { "search-gateway": [], recommendation: [] },
  };
}
