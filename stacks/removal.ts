import { join, resolve } from "node:path";
import { App } from "cdktf";
import type { Construct } from "constructs";
import type { Configuration } from "../lib/config/configuration.ts";
import type { StackName } from "../lib/core/naming/names.ts";
import { DISCOVERY_FORMAT, type Discovery } from "../lib/infrastructure/discovery.ts";
import type { Artifacts } from "./input.ts";
import { ProjectStack } from "./project-stack.ts";
import { type SynthesizedStack, synthesize } from "./synthesize.ts";

/**
 * API Gateway's log role is one setting for all APIs of the account and region: other APIs may use ours by the time
 * that we go, so it stays.
 */
const LEFT_BEHIND: Readonly<Partial<Record<StackName, readonly string[]>>> = {
  foundation: [
    "aws_iam_role_policy_attachment.api-gateway-logs-policy",
    "aws_iam_role.api-gateway-logs",
    "aws_api_gateway_account.api-gateway-account",
  ],
};

export interface RemovalInput {
  config: Configuration;
  account: string;
  stacks: readonly StackName[];
  outdir: string;
  stateFolder?: string;
  maxRetries?: number;
}

/** Provider and state of a stack, and none of its resources: a plan of it removes what the state holds. */
class BareStack extends ProjectStack {
  constructor(scope: Construct, id: StackName, { config, account, outdir, stateFolder, maxRetries }: RemovalInput) {
    super(scope, id, {
      config,
      discovery: nothingDiscovered({ config, account }),
      artifacts: {},
      outdir,
      ...(stateFolder !== undefined && { stateFolder }),
      ...(maxRetries !== undefined && { maxRetries }),
    });
    const left = LEFT_BEHIND[id]?.map((from) => ({ from, lifecycle: { destroy: false } }));
    if (left) this.addOverride("removed", left);
  }
}

/**
 * Writes stacks without their resources, in the order given: to remove what their state holds, or to read it. It needs
 * no discovery, so what Terraform made can go although the domain or the network has gone before.
 */
export function synthesizeRemoval(input: RemovalInput): SynthesizedStack[] {
  const app = new App({ outdir: input.outdir });
  for (const name of input.stacks) new BareStack(app, name, input);
  app.synth();
  return input.stacks.map((name) => ({ name, directory: join(resolve(input.outdir), "stacks", name) }));
}

/**
 * Writes the stack `personalization` so that what it holds may be deleted: applied to a stack that is as it was deployed, it
 * changes nothing else than that, and the function's code where the tool is a newer one. Then the stack can be removed.
 */
export function synthesizeDeletable(
  input: Omit<RemovalInput, "stacks"> & { applied: Readonly<Record<string, object>>; artifacts: Artifacts },
): SynthesizedStack[] {
  const { applied, ...rest } = input;
  return synthesize({
    ...rest,
    discovery: nothingDiscovered(input),
    stacks: ["personalization"],
    uninstall: { applied },
  });
}

/** What stacks need of a discovery that do not depend on what is in the account. */
function nothingDiscovered({ config, account }: Pick<RemovalInput, "config" | "account">): Discovery {
  return {
    format: DISCOVERY_FORMAT,
    account,
    region: config.project.aws.region_name,
    apiGateway: { role: { name: "", exists: false, owned: false } },
    apiKeys: { "search-gateway": [], recommendation: [] },
  };
}
