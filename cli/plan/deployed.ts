import * as v from "valibot";
import { parse } from "yaml";
import { ApiSchema } from "../../lib/settings/api.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { parseConfiguration } from "../../lib/settings/parse.ts";
import { ConfigurationError } from "../../lib/settings/problem.ts";
import { type Rights, rightsOf } from "./key-rights.ts";

/** The deployed configuration, for comparison by a plan. A part is undefined if it is not valid, as after a change by hand. */
export interface Deployed {
  config: Configuration | undefined;
  rights: Rights[] | undefined;
}

/** Reads the configuration of the last deployment from its files. */
export const readDeployed = (files: Readonly<Record<string, string>>): Deployed => ({
  config: parsed(files),
  rights: rightsIn(files["api.yaml"]),
});

function parsed(files: Readonly<Record<string, string>>): Configuration | undefined {
  try {
    return parseConfiguration(files);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** Reads api.yaml alone, so that an invalid other file does not hide what keys lose. */
function rightsIn(text = ""): Rights[] | undefined {
  const { success, output: api } = v.safeParse(ApiSchema, parse(text) ?? {});
  return success ? rightsOf({ api }) : undefined;
}
