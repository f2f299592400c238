import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StackName } from "../../lib/platform/naming/names.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { sharedCloud } from "../fixtures/cloud.ts";
import { configuration, recommendation } from "../fixtures/configurations/configurations.ts";
import { fullConfiguration } from "../fixtures/configurations/every-option.ts";
import { planOf, writeStacks } from "../fixtures/plans.ts";
import { servedProvider } from "../fixtures/served-provider.ts";
import type { Terraform } from "../fixtures/terraform.ts";

/** The stacks that the search gateway does not have, and the one that differs with the recommendation service. */
const RECOMMENDATION: readonly StackName[] = ["storage", "personalization", "filters", "recommendation"];

/**
 * Plans both services, each with every option that adds resources, then the stacks of their APIs with an authorizer and as
 * private APIs for callers of IAM, with the options of platform teams. Writes the plans as JSON into a folder and returns
 * their paths.
 */
export async function allOptionsPlans(terraform: Terraform, folder: string): Promise<string[]> {
  const cloud = await sharedCloud();
  const env = { ...cloud.env, ...(await servedProvider(cloud, join(folder, "provider"))) };
  const gateway = configuration("all-options", [
    ["project.yaml", ["terraform"], undefined],
    ["api.yaml", ["keys_to"], "secretsmanager"],
    ["api.yaml", ["keys"], [{ name: "shop-browser", endpoints: ["search"], indexes: ["products"], tokens: {} }]],
  ]);
  const service = recommendation([["solution.yaml", ["retraining"], { schedule: "rate(7 days)" }]]);
  return [
    ...(await plansOf(terraform, env, { config: gateway, folder: join(folder, "search-gateway") })),
    ...(await plansOf(terraform, env, {
      config: service,
      folder: join(folder, "recommendation"),
      stacks: RECOMMENDATION,
    })),
    ...(await plansOf(terraform, env, {
      config: fullConfiguration("both services, with an authorizer"),
      folder: join(folder, "authorizer"),
      stacks: ["search-gateway"],
    })),
    ...(await plansOf(terraform, env, {
      config: fullConfiguration("both services, private, for callers of IAM"),
      folder: join(folder, "private-iam"),
      stacks: ["recommendation"],
    })),
  ];
}

async function plansOf(
  terraform: Terraform,
  env: Readonly<Record<string, string>>,
  { config, folder, ...only }: { config: Configuration; folder: string; stacks?: readonly StackName[] },
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const files: string[] = [];
  for (const { name, directory } of writeStacks(config, { folder, ...only })) {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, await planOf(terraform, directory, env));
    files.push(file);
  }
  return files;
}
