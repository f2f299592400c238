/** The gateway behind the local API server, in a process of its own: `node bench/http-server.ts CLUSTER_URL SETTINGS`. */
import { createInterface } from "node:readline";
import { routes } from "../functions/api-router/routes.ts";
import { startApi } from "../local/api/start.ts";
import { API_KEY } from "../test/fixtures/gateway.ts";
import { loadGateway } from "./gateway-setup.ts";

const handler = await loadGateway(process.argv[2] ?? "", JSON.parse(process.argv[3] ?? "{}"));
const api = await startApi({ services: [{ routes, handler, keys: [API_KEY] }] });
console.log(api.url);

// Each line asks for what this process has used so far; the end of input ends it.
createInterface(process.stdin)
  .on("line", () => {
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({ cpuMs: (user + system) / 1_000, rss: process.memoryUsage.rss() }));
  })
  .on("close", () => process.exit(0));
