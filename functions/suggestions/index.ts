import { tmpdir } from "node:os";
import { S3Client } from "@aws-sdk/client-s3";
import { s3ObjectStore } from "../../lib/platform/aws/s3-object-store.ts";
import { readConfig, readEnvironment } from "../../lib/platform/environment.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { createRunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import { clusterAuth } from "../../lib/search/opensearch/cluster-env.ts";
import { probeCluster } from "../../lib/search/opensearch/cluster-probe.ts";
import type { SuggestionsSettings } from "../../lib/search/suggest/run.ts";
import { SuggestionsEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

const env = readEnvironment(SuggestionsEnv, process.env);
const settings = readConfig<SuggestionsSettings>(new URL("config.json", import.meta.url));
const cluster = createCluster({ node: env.OPENSEARCH_NODE, auth: await clusterAuth(env, () => process.env) });
const print = (line: string) => process.stdout.write(`${line}\n`);

export const handler = createHandler(settings, {
  // Makes one call at a time, so that user searches keep priority on the cluster.
  calls: createRunCalls({
    cluster,
    pace: createPace(1),
    onTrouble: (reason) => print(JSON.stringify({ level: "warn", message: "trying again", reason })),
  }),
  probe: () => probeCluster(cluster),
  store: s3ObjectStore(new S3Client({ maxAttempts: 3 }), env.BUCKET),
  limits: { memoryMb: env.ENGINE_MEMORY_MB, threads: 1, folder: tmpdir() },
  print,
  now: () => new Date(),
});
