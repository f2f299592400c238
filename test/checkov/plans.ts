import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { synthesize } from "../../stacks/synthesize.ts";
import { sharedCloud } from "../fixtures/cloud.ts";
import { configuration, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { initTerraform, type Terraform, terraformOk } from "../fixtures/terraform.ts";
import { ARTIFACTS } from "../stacks/support.ts";

/** Plans the configuration with every option, and writes the plans as JSON into a folder. Gives their paths. */
export async function allOptionsPlans(terraform: Terraform, folder: string): Promise<string[]> {
  const cloud = await sharedCloud();
  const config = configuration("all-options", [["project.yaml", ["terraform"], undefined]]);
  const stacks = synthesize({
    config,
    discovery: discoveryOf(config),
    artifacts: ARTIFACTS,
    outdir: join(folder, "stacks"),
    stateFolder: join(folder, "state"),
    maxRetries: 2,
  });
  const files: string[] = [];
  for (const { name, directory } of stacks) {
    await initTerraform(terraform, directory, { env: cloud.env });
    await terraformOk(terraform, directory, ["plan", "-input=false", "-no-color", "-out=plan"], cloud.env);
    const { stdout } = await terraformOk(terraform, directory, ["show", "-json", "plan"], cloud.env);
    const file = join(folder, `${name}.json`);
    writeFileSync(file, stdout);
    files.push(file);
  }
  return files;
}
