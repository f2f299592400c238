import * as v from "valibot";

const Text = v.pipe(v.string(), v.nonEmpty());
/** Ids and names of the API keys, `id=name,id=name`; absent if the configuration lists no keys. */
const ApiKeys = v.optional(v.string());

/** The environment of api-router, which the stack sets. Longer settings are in `config.json` beside the bundle. */
export const ApiRouterEnv = v.variant("OPENSEARCH_AUTH", [
  v.object({
    OPENSEARCH_AUTH: v.picklist(["none", "aws"]),
    OPENSEARCH_NODE: Text,
    AWS_REGION: Text,
    API_KEYS: ApiKeys,
  }),
  v.object({
    OPENSEARCH_AUTH: v.literal("basic"),
    OPENSEARCH_NODE: Text,
    AWS_REGION: Text,
    API_KEYS: ApiKeys,
    /** Secret with the master user's `username` and `password` as JSON. */
    OPENSEARCH_SECRET_ARN: Text,
  }),
]);

export type ApiRouterEnv = v.InferOutput<typeof ApiRouterEnv>;

/**
 * `NODE_OPTIONS` of the function. They make V8 collect garbage before it fills the memory: bulk requests of 5,000
 * documents took 150 MiB of resident memory instead of 250 MiB, at the same speed (bench/bulk-write.ts). Lambda computes
 * both sizes from the function's memory, but not if NODE_OPTIONS names one of them (its start script, since nodejs20.x).
 */
export const NODE_OPTIONS = "--max-old-space-size=256 --max-semi-space-size=4";
