// Runs the deployed bundle with the real SDK, and checks what goes over the wire.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import * as assert from "uvu/assert";
import { buildFunctions } from "../../../build/functions.ts";
import type { StandIn, StandInRequest } from "../../../packages/local-aws/cloud/stand-in.ts";
import { scratchFolder } from "../../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { serveStandIns } from "../../fixtures/stand-in-server.ts";
import { suite } from "../../suite.ts";

const test = suite("cluster-scaler: bundle");
const run = promisify(execFile);

const built = await buildFunctions({
  outdir: scratchFolder(TEST_OUTPUT, "scaler-bundle"),
  functions: ["cluster-scaler"],
});
const bundle = pathToFileURL(join(built["cluster-scaler"]?.dir ?? "", "index.mjs")).href;

const seen: Array<Pick<StandInRequest, "method" | "path"> & { body: string }> = [];
const domain: StandIn = {
  services: ["es"],
  async handle({ method, path, body }) {
    seen.push({ method, path, body: body.toString() });
    const Options = { InstanceCount: 3, ZoneAwarenessEnabled: true, ZoneAwarenessConfig: { AvailabilityZoneCount: 3 } };
    if (method === "GET" && path.endsWith("/config")) {
      const Status = { CreationDate: 1_700_000_000, UpdateDate: 1_700_000_000, State: "Active" };
      return { status: 200, body: JSON.stringify({ DomainConfig: { ClusterConfig: { Options, Status } } }) };
    }
    const named = { DomainId: "d", DomainName: "books", ARN: "arn" };
    const DomainStatus = { ...named, ClusterConfig: Options, DomainProcessingStatus: "Active" };
    return { status: 200, body: JSON.stringify(method === "GET" ? { DomainStatus } : { DomainConfig: {} }) };
  },
};

const metrics: StandIn = {
  services: ["monitoring"],
  async handle({ body }) {
    const { MetricDataQueries }: { MetricDataQueries: Array<{ Id: string }> } = JSON.parse(body.toString());
    const values: Record<string, number[]> = { cpu: [80, 80, 80], jvm: [20], used: [10_000], free: [90_000] };
    const MetricDataResults = MetricDataQueries.map(({ Id }) => ({ Id, Values: values[Id] ?? [] }));
    return { status: 200, body: JSON.stringify({ MetricDataResults }) };
  },
};

const server = await serveStandIns([domain, metrics]);
test.after(() => server.stop());

/** Invokes the function once in a new process. Returns the lines that it wrote. */
async function invoke(): Promise<unknown[]> {
  const script = `const { handler } = await import(${JSON.stringify(bundle)}); await handler();`;
  const env = {
    AWS_ENDPOINT_URL: server.url,
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    DOMAIN_NAME: "books",
    ACCOUNT_ID: "123456789012",
    MIN_INSTANCE_COUNT: "3",
    MAX_INSTANCE_COUNT: "9",
    SCALE_DOWN_CPU_PERCENT: "30",
    SCALE_UP_CPU_PERCENT: "70",
  };
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).decision);
}

test("adds one node in each zone, and nothing else", async () => {
  assert.equal(await invoke(), ["scale-out"]);
  const updates = seen.filter(({ method }) => method !== "GET");
  assert.equal(updates, [
    {
      method: "POST",
      path: "/2021-01-01/opensearch/domain/books/config",
      body: '{"ClusterConfig":{"InstanceCount":6}}',
    },
  ]);
});

test.run();
