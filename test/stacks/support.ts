import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Discovery } from "../../lib/infrastructure/discovery.ts";
import type { StackName } from "../../lib/platform/naming/names.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import type { Artifacts, StackInput } from "../../stacks/input.ts";
import { synthesize } from "../../stacks/synthesize.ts";
import {
  type Change,
  type ConfigurationName,
  configuration,
  discoveryOf,
} from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";

const FUNCTIONS = [
  "api-router",
  "log-handler",
  "search-events",
  "cluster-scaler",
  "suggestions",
  "recommendation-api",
  "recommendation-log-handler",
  "realtime-sync",
  "personalize-manager",
  "etl",
  "training",
] as const;

/** Archives that do not exist: stacks use their names and hashes as given. */
export const ARTIFACTS = Object.fromEntries(
  FUNCTIONS.map((name) => [name, { zip: `dist/functions/${name}.zip`, sha256: `hash-of-${name}` }]),
);

/** A synthesized stack. */
export interface Stack {
  text: string;
  terraform: { backend: Record<string, Record<string, unknown>>; required_version: string };
  provider: { aws: Array<Record<string, unknown>> };
  output: Record<string, { value: string; sensitive?: boolean }>;
  import: unknown;
  moved?: Array<{ from: string; to: string }>;
  /** Returns a resource, typed by the attributes that a test checks. If it is missing, throws with those that exist. */
  resource<Attributes = Record<string, unknown>>(type: string, id: string): Attributes;
  /** Ids of the resources of a type, sorted. */
  ids(type: string): string[];
}

export interface Synthesis {
  config: Configuration;
  discovery?: Discovery;
  maxRetries?: number;
  stateFolder?: string;
  artifacts?: Artifacts;
  uninstall?: NonNullable<StackInput["uninstall"]>;
}

/** Synthesizes one stack. */
export function synth(name: StackName, synthesis: Synthesis): Stack {
  const { config, discovery = discoveryOf(config), artifacts = ARTIFACTS, ...rest } = synthesis;
  const outdir = scratchFolder(TEST_OUTPUT, "synth");
  const [stack] = synthesize({ ...rest, config, discovery, artifacts, outdir, stacks: [name] });
  if (!stack) throw new Error(`no stack ${name}`);
  return read(readFileSync(join(stack.directory, "cdk.tf.json"), "utf8"));
}

/** Synthesizes one stack of an example configuration with changes. */
export function example(name: StackName, from: ConfigurationName, changes: readonly Change[] = []): Stack {
  return synth(name, { config: configuration(from, changes) });
}

function read(text: string): Stack {
  const json = JSON.parse(text);
  const resources: Record<string, Record<string, object>> = json.resource ?? {};
  return {
    text,
    terraform: json.terraform,
    provider: json.provider,
    output: json.output,
    import: json.import,
    moved: json.moved,
    resource<Attributes>(type: string, id: string) {
      const found = resources[type]?.[id];
      if (!found) throw new Error(`no ${type}.${id}; there are ${Object.keys(resources[type] ?? {}).join(", ")}`);
      // CDKTF's metadata is not an attribute.
      return Object.fromEntries(Object.entries(found).filter(([name]) => name !== "//")) as Attributes;
    },
    ids: (type) => Object.keys(resources[type] ?? {}).sort(),
  };
}

/** Returns a reference as Terraform reads it. */
export const ref = (expression: string): string => `\${${expression}}`;
