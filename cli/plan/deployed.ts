import * as v from "valibot";
import { parse, stringify } from "yaml";
import { ApiSchema } from "../../lib/config/api.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { parseConfiguration } from "../../lib/config/parse.ts";
import { ConfigurationError } from "../../lib/config/problem.ts";
import { isObject } from "../../lib/core/json/values.ts";
import type { StoredConfiguration } from "../state/configuration-objects.ts";
import { earlierRightsOf, type Rights, rightsOf } from "./key-rights.ts";

/** What a plan compares with. A part is undefined if it is not valid for this version. */
export interface Deployed {
  config: Configuration | undefined;
  rights: Rights[] | undefined;
}

const API = "api.yaml";

/** `raw_backend.allow` of an earlier version: what /raw-backend let through for every key. */
const EarlierAllow = v.optional(
  v.union([
    v.pipe(
      v.string(),
      v.transform((word) => [word]),
    ),
    v.array(v.string()),
  ]),
);

/** Reads the configuration of the last deployment, also one that an earlier version wrote. */
export function readDeployed({ files, earlier }: StoredConfiguration): Deployed {
  if (files[API] === undefined || !earlier.has(API)) return { config: parsed(files), rights: rightsIn(files[API]) };
  const api: unknown = parse(files[API]);
  const { allow, ...rest } = isObject(api) && isObject(api.raw_backend) ? api.raw_backend : {};
  const text = allow === undefined ? files[API] : stringify({ ...Object(api), raw_backend: rest });
  return { config: parsed({ ...files, [API]: text }), rights: rightsIn(text, { allow: v.parse(EarlierAllow, allow) }) };
}

function parsed(files: Readonly<Record<string, string>>): Configuration | undefined {
  try {
    return parseConfiguration(files);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** Reads api.yaml alone, so that a change of another file's form does not hide what keys lose. */
function rightsIn(text = "", earlier?: { allow: string[] | undefined }): Rights[] | undefined {
  const { success, output: api } = v.safeParse(ApiSchema, parse(text) ?? {});
  if (!success) return undefined;
  return earlier ? earlierRightsOf({ api }, earlier.allow) : rightsOf({ api });
}
