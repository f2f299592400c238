/** Runs the gateway behind the local API server: `node bench/http-server.ts CLUSTER_URL BUNDLE`. */
import { createInterface } from "node:readline";
import { routes } from "../functions/api-router/routes.ts";
import { loadBundle } from "../packages/local-aws/api/load-bundle.ts";
import { startApi } from "../packages/local-aws/api/start.ts";

const [, , node = "", file = "", key = ""] = process.argv;
const env = { OPENSEARCH_NODE: node, OPENSEARCH_AUTH: "none", AWS_REGION: "eu-west-1" };
const { handler } = await loadBundle({ file, env, onRequestLog: () => undefined });
const api = await startApi({ services: [{ routes, handler, keys: [key] }] });
console.log(api.url);

// Each input line requests the resources used so far; the end of input ends the process.
createInterface(process.stdin)
  .on("line", () => {
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({ cpuMs: (user + system) / 1_000, rss: process.memoryUsage.rss() }));
  })
  .on("close", () => process.exit(0));
