/** Writes the stacks of every example configuration into the folder of the first argument. Run with `resolve.ts`, by its bindings. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { synthesize } from "../../stacks/synthesize.ts";
import { CONFIGURATIONS, configuration, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { fullExample, valid } from "../lib/settings/example.ts";
import { ARTIFACTS } from "../stacks/support.ts";

const [folder = ""] = process.argv.slice(2);
const examples = {
  full: valid(fullExample()),
  ...Object.fromEntries(CONFIGURATIONS.map((name) => [name, configuration(name)])),
};
for (const [name, example] of Object.entries(examples)) {
  const terraform = { ...example.project.terraform, provider: 6 } as const;
  const config = { ...example, project: { ...example.project, terraform } };
  const outdir = join(folder, name);
  mkdirSync(outdir, { recursive: true });
  synthesize({ config, discovery: discoveryOf(config), artifacts: ARTIFACTS, outdir });
}
