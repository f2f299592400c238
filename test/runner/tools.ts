import { requireCheckov } from "../checkov/checkov.ts";
import { installTools } from "../contract/tools.ts";
import { requireTerraform } from "../fixtures/terraform.ts";
import type { SharedFixture } from "./shared-fixture.ts";

/** Returns a program that files need, recognized by a module that they import. `require` throws MissingTool. */
function tool(name: string, module: string, require: () => unknown): SharedFixture {
  return {
    name,
    needed: (_file, imports) => imports.has(module),
    async start() {
      require();
      return { env: {}, async stop() {} };
    },
  };
}

/** Programs that are only looked up, not started. */
export const TOOLS: readonly SharedFixture[] = [
  tool("Terraform", "test/fixtures/terraform.ts", requireTerraform),
  tool("checkov", "test/checkov/checkov.ts", requireCheckov),
];

/** Client generators, fuzzers and what else the contract tests need, installed when a file first needs them. */
export const contractTools: SharedFixture = {
  name: "contract tools",
  needed: (_file, imports) => imports.has("test/contract/tools.ts"),
  async start({ say }) {
    await installTools(say);
    return { env: {}, async stop() {} };
  },
};
