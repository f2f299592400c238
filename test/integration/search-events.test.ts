import { rmSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { buildFunctions } from "../../build/functions.ts";
import { routes } from "../../functions/search-events/routes.ts";
import { loadBundle } from "../../packages/local-aws/api/load-bundle.ts";
import { startApi } from "../../packages/local-aws/api/start.ts";
import type { StandIn } from "../../packages/local-aws/cloud/stand-in.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { sharedCloud } from "../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { eventsVariables } from "../fixtures/function-role.ts";
import { API_KEY, setAwsEndpoint } from "../fixtures/gateway.ts";
import { serveStandIns } from "../fixtures/stand-in-server.ts";
import { awsError } from "../functions/recommendation-api/aws-front.ts";
import { suite } from "../suite.ts";

const test = suite("search events in Firehose");

/** What Firehose accepted, and how it answers its next calls. */
const stored: string[] = [];
const answers: Array<(records: number) => (string | undefined)[] | "throttled"> = [];
const firehose: StandIn = {
  services: ["firehose"],
  async handle({ body }) {
    const { Records } = JSON.parse(body.toString()) as { Records: { Data: string }[] };
    const codes = answers.shift()?.(Records.length) ?? [];
    if (codes === "throttled") return awsError(400, "ServiceUnavailableException");
    const RequestResponses = Records.map(({ Data }, index) => {
      const ErrorCode = codes[index];
      if (ErrorCode !== undefined) return { ErrorCode, ErrorMessage: "as told" };
      stored.push(Buffer.from(Data, "base64").toString());
      return { RecordId: `r-${stored.length}` };
    });
    const FailedPutCount = codes.filter((code) => code !== undefined).length;
    return { status: 200, body: JSON.stringify({ FailedPutCount, RequestResponses }) };
  },
};

const folder = scratchFolder(TEST_OUTPUT, "search-events");
const cloud = await sharedCloud();
const aws = await serveStandIns([firehose], cloud);
setAwsEndpoint(aws.url, cloud);
const settings = { project: "test", logging: { user_id: "plain", query_text: true } };
const built = await buildFunctions({
  outdir: join(folder, "functions"),
  functions: ["search-events"],
  files: { "search-events": { "config.json": JSON.stringify(settings) } },
});
const bundle = await loadBundle({
  file: join(built["search-events"]?.dir ?? "", "index.mjs"),
  env: { EVENTS_STREAM: "events", AWS_REGION: "eu-west-1", ...(await eventsVariables(cloud, "events")) },
});
const api = await startApi({ services: [{ routes, handler: bundle.handler, keys: [API_KEY] }] });

test.after(async () => {
  await api.stop();
  await aws.stop();
  rmSync(folder, { recursive: true, force: true });
});
test.before.each(() => {
  stored.length = 0;
  answers.length = 0;
});

/** Sends events, each of which fills a record of Firehose. */
async function send(count: number) {
  const events = Array.from({ length: count }, (_, index) => ({
    action_name: "click",
    timestamp: "2026-11-23T08:00:00Z",
    query_id: `q${index}`,
    filling: "x".repeat(64_000),
  }));
  const response = await fetch(`${api.url}/application/events`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": API_KEY },
    body: JSON.stringify({ events }),
  });
  const body = (await response.json()) as { accepted: number; rejected: { index: number; retryable: boolean }[] };
  return { status: response.status, body };
}

const storedIds = () => stored.map((line) => JSON.parse(line).query_id).toSorted();

test("resends only the records that Firehose rejects", async () => {
  answers.push(
    () => [undefined, "ServiceUnavailableException", "InternalFailure"],
    () => "throttled",
    () => ["ServiceUnavailableException"],
  );
  assert.equal(await send(3), { status: 200, body: { accepted: 3, rejected: [] } });
  assert.equal(storedIds(), ["q0", "q1", "q2"]);
});

test("names a record that Firehose keeps rejecting, and stores the accepted ones", async () => {
  const rejects = (records: number) => (records === 3 ? [undefined, "InternalFailure"] : ["InternalFailure"]);
  answers.push(...Array.from({ length: 20 }, () => rejects));
  const { status, body } = await send(3);
  assert.equal([status, body.accepted], [200, 2]);
  assert.equal(
    body.rejected.map(({ index, retryable }) => [index, retryable]),
    [[1, true]],
  );
  assert.equal(storedIds(), ["q0", "q2"]);
});

test.run();
