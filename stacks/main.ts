/**
 * For `npx cdktf synth`: synthesizes the stacks of a configuration without reading an account. `relevance plan` does
 * the same with the discovered account.
 *
 *   CONF=DIR                 the configuration folder (default conf)
 *   RELEVANCE_DISCOVERY=FILE a saved discovery (default: a sample account)
 *   CDKTF_OUTDIR=DIR         the output folder (default cdktf.out)
 */
import { readFileSync } from "node:fs";
import { DiscoveryError, parseDiscovery } from "../lib/infrastructure/discovery.ts";
import { loadConfiguration } from "../lib/settings/load.ts";
import { ConfigurationError } from "../lib/settings/problem.ts";
import { readArtifacts } from "./artifacts.ts";
import { sampleDiscovery } from "./sample-discovery.ts";
import { synthesize } from "./synthesize.ts";

try {
  const config = loadConfiguration(process.env.CONF ?? "conf");
  const saved = process.env.RELEVANCE_DISCOVERY;
  const discovery = saved === undefined ? sampleDiscovery(config) : parseDiscovery(readFileSync(saved, "utf8"));
  const outdir = process.env.CDKTF_OUTDIR ?? "cdktf.out";
  synthesize({ config, discovery, artifacts: readArtifacts("dist/functions"), outdir });
} catch (error) {
  const expected = error instanceof ConfigurationError || error instanceof DiscoveryError;
  console.error(expected ? error.message : error);
  process.exitCode = error instanceof ConfigurationError ? 2 : 1;
}
