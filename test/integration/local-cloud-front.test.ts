import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { BedrockRuntimeClient, InvokeModelCommand } from "@aws-sdk/client-bedrock-runtime";
import { ListDatasetGroupsCommand, PersonalizeClient } from "@aws-sdk/client-personalize";
import { PersonalizeEventsClient, PutEventsCommand } from "@aws-sdk/client-personalize-events";
import { GetRecommendationsCommand, PersonalizeRuntimeClient } from "@aws-sdk/client-personalize-runtime";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { InvokeEndpointCommand, SageMakerRuntimeClient } from "@aws-sdk/client-sagemaker-runtime";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import * as assert from "uvu/assert";
import type { StandIn, StandInRequest } from "../../packages/local-aws/cloud/stand-in.ts";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions, ownCloud } from "../fixtures/cloud.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: front");

const seen: StandInRequest[] = [];
const recorder = (service: string, body: string): StandIn => ({
  services: [service],
  async handle(request) {
    if (request.path === "/endpoints/broken/invocations") throw new Error("the stand-in is broken");
    seen.push(request);
    return { status: 200, body };
  },
});
const cloud = await ownCloud({
  standIns: [
    recorder("personalize", '{"datasetGroups": [], "itemList": [{"itemId": "i1"}]}'),
    recorder("sagemaker-runtime", "[[0.5]]"),
    recorder("bedrock-runtime", '{"embeddings": []}'),
  ],
});

test.before.each(() => {
  seen.length = 0;
});

/** Runs TypeScript in its own process. */
function program(name: string, source: string) {
  const folder = join(TEST_OUTPUT, "local-cloud-front");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, source);
  return spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("sends Personalize, its runtime and its events to the stand-in, from unmodified SDKs", async () => {
  await new PersonalizeClient(clientOptions(cloud)).send(new ListDatasetGroupsCommand({}));
  const campaignArn = "arn:aws:personalize:eu-west-1:123456789012:campaign/c";
  const runtime = new PersonalizeRuntimeClient(clientOptions(cloud));
  const { itemList } = await runtime.send(new GetRecommendationsCommand({ campaignArn, userId: "u" }));
  const event = { eventType: "click", sentAt: new Date(0) };
  const events = new PersonalizeEventsClient(clientOptions(cloud));
  await events.send(new PutEventsCommand({ trackingId: "t", sessionId: "s", eventList: [event] }));

  assert.equal(itemList, [{ itemId: "i1" }]);
  assert.equal(
    seen.map(({ service, region, method, path }) => [service, region, method, path]),
    [
      ["personalize", "eu-west-1", "POST", "/"],
      ["personalize", "eu-west-1", "POST", "/recommendations"],
      ["personalize", "eu-west-1", "POST", "/events"],
    ],
  );
  assert.is(seen[0]?.headers["x-amz-target"], "AmazonPersonalize.ListDatasetGroups");
  assert.equal(JSON.parse(seen[1]?.body.toString() ?? ""), { campaignArn, userId: "u" });
});

test("sends the runtime of Bedrock to the stand-in over HTTP/2, which its SDK uses", async () => {
  const bedrock = new BedrockRuntimeClient(clientOptions(cloud));
  const { body } = await bedrock.send(
    new InvokeModelCommand({ modelId: "cohere.embed-english-v3", body: '{"texts":[]}' }),
  );
  bedrock.destroy();
  assert.is(body?.transformToString(), '{"embeddings": []}');
  assert.equal([seen[0]?.path, seen[0]?.body.toString()], ["/model/cohere.embed-english-v3/invoke", '{"texts":[]}']);
});

test("answers with the message of a stand-in that throws", async () => {
  const runtime = new SageMakerRuntimeClient(clientOptions(cloud));
  const call = runtime.send(new InvokeEndpointCommand({ EndpointName: "broken", Body: Buffer.from("") }));
  const { name, message } = await call.catch((error) => error);
  assert.is(name, "InternalFailure");
  assert.match(message, "the stand-in is broken");
});

test("says that a service lacks its stand-in, without a retry by the SDK", async () => {
  const bare = await ownCloud({ workDir: join(TEST_OUTPUT, "local-cloud-bare") });
  const personalize = new PersonalizeClient({ ...clientOptions(bare), maxAttempts: 3 });
  const error = await personalize.send(new ListDatasetGroupsCommand({})).catch((thrown) => thrown);
  await bare.stop();
  assert.match(error.message, "started without a stand-in for personalize");
  assert.is(error.$metadata.attempts, 1);
});

test("keeps the connections over which stand-ins ask the guard", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const question = request(`${cloud.motoUrl}/_cloud/permissions/faults`, { method: "POST", agent }).end("{}");
    const [answer] = (await once(question, "response")) as [IncomingMessage];
    await answer.toArray();
    return { status: answer.statusCode, reused: question.reusedSocket };
  };
  const answers = [await ask(), await ask()];
  agent.destroy();
  assert.equal(answers, [
    { status: 200, reused: false },
    { status: 200, reused: true },
  ]);
});

test("rejects two stand-ins for one service", async () => {
  const standIns = [recorder("personalize", ""), recorder("personalize", "")];
  const message = await ownCloud({ standIns }).catch((error) => error.message);
  assert.is(message, "two stand-ins of the local cloud serve personalize");
});

test("passes large bodies to and from S3 whole", async () => {
  const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
  const Bucket = unique("bucket");
  const body = Buffer.alloc(20_000_000, "0123456789");
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration: { LocationConstraint: "eu-west-1" } }));
  await s3.send(new PutObjectCommand({ Bucket, Key: "a/b c+ä", Body: body }));
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: "a/b c+ä" }));
  assert.ok(body.equals(Buffer.from((await Body?.transformToByteArray()) ?? [])));
});

test("gives an environment in which an SDK needs no settings", async () => {
  Object.assign(process.env, cloud.env);
  assert.is((await new STSClient({}).send(new GetCallerIdentityCommand({}))).Account, "123456789012");
});

test("ends moto and the functions when the program that started them is killed", async () => {
  const child = program(
    "killed",
    `import { LambdaClient } from "@aws-sdk/client-lambda";
     import { clientOptions, ownCloud } from "${ROOT}/test/fixtures/cloud.ts";
     import { createFunction, invoke } from "${ROOT}/packages/local-aws/test/cloud/functions.ts";
     const cloud = await ownCloud({ workDir: "${TEST_OUTPUT}/local-cloud-killed" });
     const lambda = new LambdaClient(clientOptions(cloud));
     const name = await createFunction(cloud, lambda, "export const handler = async () => process.pid;");
     console.log(JSON.stringify([cloud.pid, (await invoke(lambda, name)).payload]));
     setInterval(() => {}, 1000);`,
  );
  const [line] = await child.stdout.setEncoding("utf8").take(1).toArray();
  const pids: number[] = JSON.parse(line);
  assert.equal(pids.map(isAlive), [true, true]);
  child.kill("SIGKILL");
  await waitFor(async () => !pids.some(isAlive), { what: "moto and the function to end", timeoutMs: 60_000 });
});

test("does not keep its program alive when it is left running", async () => {
  const child = program(
    "left-running",
    `import { ownCloud } from "${ROOT}/test/fixtures/cloud.ts";
     await ownCloud({ workDir: "${TEST_OUTPUT}/local-cloud-left" });`,
  );
  const code = await new Promise((resolve) => child.once("exit", resolve));
  assert.is(code, 0);
});

test("reports the end of moto, with its log", async () => {
  const other = await ownCloud({ workDir: join(TEST_OUTPUT, "local-cloud-died") });
  let message = "";
  other.died.then((error) => {
    message = error.message;
  });
  process.kill(other.pid, "SIGKILL");
  await waitFor(async () => message !== "", { what: "the report", timeoutMs: 60_000 });
  await other.stop();
  assert.match(message, "ended with SIGKILL");
});

test("names a taken port", async () => {
  const port = Number(new URL(cloud.endpoint).port);
  const message = await ownCloud({ port }).catch((error) => error.message);
  assert.match(message, `port ${port} for the local AWS endpoint is taken`);
});

test("rejects an unknown repair by name", async () => {
  const workDir = join(TEST_OUTPUT, "local-cloud-misfit");
  const message = await ownCloud({ workDir, withoutRepairs: ["no_such"] }).catch((error) => error.message);
  assert.match(message, "no such repair: no_such");
});

test.run();
