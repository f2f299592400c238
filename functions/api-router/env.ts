import * as v from "valibot";
import { ApiKeys, Text } from "../../lib/platform/environment.ts";
import { clusterEnv } from "../../lib/search/opensearch/cluster-env.ts";

/** Bucket of the documents of rules and synonyms; absent if the gateway reads neither. */
const Bucket = v.optional(Text);

/** The environment of api-router, which the stack sets. Longer settings are in `config.json` beside the bundle. */
export const ApiRouterEnv = clusterEnv({ API_KEYS: ApiKeys, BUCKET: Bucket });

export type ApiRouterEnv = v.InferOutput<typeof ApiRouterEnv>;

/**
 * Variables of the function that keep its memory small, measured by bench/bulk.ts.
 *
 * The options make V8 collect garbage before it fills the memory. Lambda computes both sizes from the function's memory,
 * but not if NODE_OPTIONS names one of them (its start script, since nodejs20.x). A semi-space of 16 MB saves no
 * processor time and takes 20 MiB more than 8; one of 4 MB has twice as many collections and takes 5 MiB less.
 *
 * With the threshold, in bytes, glibc returns a larger block to the system when it is freed. By default the threshold
 * grows with the blocks, and those of vectors and bodies stay: 141 MiB of resident memory instead of 120.
 */
export const MEMORY_OPTIONS = {
  NODE_OPTIONS: "--max-old-space-size=256 --max-semi-space-size=8",
  MALLOC_MMAP_THRESHOLD_: "131072",
};
