import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StackResources } from "../lib/infrastructure/stack-resources.ts";
import type { Configuration } from "../lib/settings/configuration.ts";
import { sampleDiscovery } from "./sample-discovery.ts";
import { synthesize } from "./synthesize.ts";

/** Returns the resources of each stack of a configuration in the sample account. Needs no built functions. */
export function sampleStacks(config: Configuration): StackResources[] {
  const outdir = mkdtempSync(join(tmpdir(), "stacks-"));
  try {
    const archive = { zip: join(outdir, "function.zip"), sha256: "none" };
    const artifacts = new Proxy({}, { get: () => archive });
    const stacks = synthesize({ config, discovery: sampleDiscovery(config), artifacts, outdir });
    return stacks.map(
      ({ directory }) => JSON.parse(readFileSync(join(directory, "cdk.tf.json"), "utf8")).resource ?? {},
    );
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
