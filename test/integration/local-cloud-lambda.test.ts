import {
  CreateAliasCommand,
  InvokeCommand,
  LambdaClient,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  PutProvisionedConcurrencyConfigCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import * as assert from "uvu/assert";
import { createFunction, invoke, unique, zipOf } from "../../packages/local-aws/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: Lambda");
const cloud = await sharedCloud();
const lambda = new LambdaClient(clientOptions(cloud));

async function refusal(call: Promise<unknown>): Promise<{ name: string; message: string }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("the call was expected to fail");
}

test("runs the uploaded code on the event", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async (e) => ({ sum: e.a + e.b });");
  const { status, error, payload, version } = await invoke(lambda, name, { a: 2, b: 3 });
  assert.equal(
    { status, error, payload, version },
    { status: 200, error: undefined, payload: { sum: 5 }, version: "$LATEST" },
  );
});

test("gives the function its variables and the pinned Node.js", async () => {
  const source = "export const handler = async () => ({ ...process.env, node: process.version });";
  const name = await createFunction(cloud, lambda, source, { Environment: { Variables: { COLOUR: "green" } } });
  const { payload } = await invoke(lambda, name);
  assert.is(payload.COLOUR, "green");
  assert.is(payload.AWS_LAMBDA_FUNCTION_NAME, name);
  assert.is(payload.AWS_REGION, "eu-west-1");
  assert.is(payload.AWS_LAMBDA_INITIALIZATION_TYPE, "on-demand");
  assert.is(payload.node, process.version);
});

test("points the function at the front endpoint, not at moto", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async () => process.env.AWS_ENDPOINT_URL;");
  assert.is((await invoke(lambda, name)).payload, cloud.endpoint);
});

test("keeps the module loaded between events", async () => {
  const name = await createFunction(cloud, lambda, "let n = 0; export const handler = async () => ++n;");
  await invoke(lambda, name);
  assert.is((await invoke(lambda, name)).payload, 2);
});

test("loads changed code", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async () => 'old';");
  await invoke(lambda, name);
  const ZipFile = zipOf("export const handler = async () => 'new';");
  await lambda.send(new UpdateFunctionCodeCommand({ FunctionName: name, ZipFile }));
  assert.is((await invoke(lambda, name)).payload, "new");
});

test("restarts when the configuration changes", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async () => process.env.COLOUR;");
  await invoke(lambda, name);
  const Environment = { Variables: { COLOUR: "red" } };
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: name, Environment }));
  assert.is((await invoke(lambda, name)).payload, "red");
});

test("runs the version of an alias, also when the ARN names the alias", async () => {
  const name = await createFunction(
    cloud,
    lambda,
    "export const handler = async (e, c) => ['first', c.invokedFunctionArn];",
  );
  await lambda.send(new PublishVersionCommand({ FunctionName: name }));
  await lambda.send(new CreateAliasCommand({ FunctionName: name, Name: "live", FunctionVersion: "1" }));
  const ZipFile = zipOf("export const handler = async () => ['second'];");
  await lambda.send(new UpdateFunctionCodeCommand({ FunctionName: name, ZipFile }));

  const arn = `arn:aws:lambda:eu-west-1:${cloud.accountId}:function:${name}:live`;
  const byQualifier = await invoke(lambda, name, {}, { Qualifier: "live" });
  assert.equal([byQualifier.payload, byQualifier.version], [["first", arn], "1"]);
  assert.equal((await invoke(lambda, arn)).payload, ["first", arn]);
  assert.equal((await invoke(lambda, name)).payload, ["second"]);
});

test("tells a version that it runs under provisioned concurrency", async () => {
  const source = "export const handler = async () => process.env.AWS_LAMBDA_INITIALIZATION_TYPE;";
  const name = await createFunction(cloud, lambda, source);
  await lambda.send(new PublishVersionCommand({ FunctionName: name }));
  await lambda.send(new CreateAliasCommand({ FunctionName: name, Name: "live", FunctionVersion: "1" }));
  const provisioned = { FunctionName: name, Qualifier: "live", ProvisionedConcurrentExecutions: 1 };
  await lambda.send(new PutProvisionedConcurrencyConfigCommand(provisioned));
  assert.is((await invoke(lambda, name, {}, { Qualifier: "live" })).payload, "provisioned-concurrency");
});

test("returns an error of the handler as a FunctionError with type, message and trace", async () => {
  const source = "export const handler = async () => { throw new RangeError('too far'); };";
  const { error, payload, logs } = await invoke(lambda, await createFunction(cloud, lambda, source));
  assert.is(error, "Unhandled");
  assert.is(payload.errorType, "RangeError");
  assert.is(payload.errorMessage, "too far");
  assert.match(payload.trace[1], "index.mjs");
  assert.match(logs, "too far");
});

test("a module that does not load is a FunctionError", async () => {
  const name = await createFunction(cloud, lambda, "import './missing.mjs'; export const handler = async () => 1;");
  const { error, payload } = await invoke(lambda, name);
  assert.is(error, "Unhandled");
  assert.match(payload.errorMessage, "missing.mjs");
});

test("names a handler that is not exported", async () => {
  const name = await createFunction(cloud, lambda, "export const other = 1;");
  const { payload } = await invoke(lambda, name);
  assert.equal(
    [payload.errorType, payload.errorMessage],
    ["Runtime.HandlerNotFound", "index.handler is undefined or not exported"],
  );
});

test("ends a function that takes too long, and runs it again afterwards", async () => {
  const source = "export const handler = (e) => e.hang ? new Promise(() => setInterval(() => {}, 1000)) : 'well';";
  const name = await createFunction(cloud, lambda, source, { Timeout: 1 });
  const { error, payload } = await invoke(lambda, name, { hang: true });
  assert.is(error, "Unhandled");
  assert.is(payload.errorType, "Sandbox.Timedout");
  assert.match(payload.errorMessage, /Task timed out after 1.00 seconds$/);
  assert.is((await invoke(lambda, name, {})).payload, "well");
});

test("also ends a function that blocks its event loop", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async () => { for (;;); };", { Timeout: 1 });
  assert.is((await invoke(lambda, name)).payload.errorType, "Sandbox.Timedout");
});

test("reports a process that exits as an error, and starts a new one for the next event", async () => {
  const source = "export const handler = async (e) => { if (e.exit) process.exit(7); return 'well'; };";
  const name = await createFunction(cloud, lambda, source);
  const { payload } = await invoke(lambda, name, { exit: true });
  assert.is(payload.errorType, "Runtime.ExitError");
  assert.match(payload.errorMessage, "exit status 7");
  assert.is((await invoke(lambda, name, {})).payload, "well");
});

test("the context counts down from the function's timeout", async () => {
  const source = `export const handler = async (e, c) => [c.getRemainingTimeInMillis(), c.functionName, c.memoryLimitInMB];`;
  const name = await createFunction(cloud, lambda, source, { Timeout: 5, MemorySize: 256 });
  const [remaining, functionName, memory] = (await invoke(lambda, name)).payload;
  assert.ok(remaining > 3000 && remaining <= 5000, `${remaining} ms remain`);
  assert.equal([functionName, memory], [name, "256"]);
});

test("runs events of one version at the same time", async () => {
  // Each event waits for the other's file, so both would time out if they ran one after the other.
  const source = `
    import { existsSync, writeFileSync } from "node:fs"; import { tmpdir } from "node:os";
    export const handler = async ({ run, own, other }) => {
      writeFileSync(tmpdir() + "/" + run + own, "");
      while (!existsSync(tmpdir() + "/" + run + other)) await new Promise((done) => setTimeout(done, 5));
      return own;
    };`;
  const name = await createFunction(cloud, lambda, source);
  const run = unique("both");
  const both = await Promise.all([
    invoke(lambda, name, { run, own: "a", other: "b" }),
    invoke(lambda, name, { run, own: "b", other: "a" }),
  ]);
  assert.equal(
    both.map(({ payload }) => payload),
    ["a", "b"],
  );
});

test("prefixes console lines as Lambda does, but no other output", async () => {
  const source = `export const handler = async (e, c) => {
    console.error("one\\ntwo", { three: 3 }); process.stdout.write('{"kind":"line"}\\n'); return c.awsRequestId; };`;
  const { payload, logs } = await invoke(lambda, await createFunction(cloud, lambda, source));
  const [stamped, plain] = logs.split("\n");
  assert.match(stamped ?? "", new RegExp(`^\\d{4}-\\S+Z\t${payload}\tERROR\tone\rtwo { three: 3 }$`));
  assert.is(plain, '{"kind":"line"}');
});

test("writes console lines as objects in the JSON log format", async () => {
  const source = `export const handler = async () => { console.warn({ code: 7 }); };`;
  const name = await createFunction(cloud, lambda, source, { LoggingConfig: { LogFormat: "JSON" } });
  const { level, message } = JSON.parse((await invoke(lambda, name)).logs);
  assert.equal([level, message], ["WARN", { code: 7 }]);
});

test("throttles invocations above the reserved concurrency", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async () => 1;");
  const none = { FunctionName: name, ReservedConcurrentExecutions: 0 };
  await lambda.send(new PutFunctionConcurrencyCommand(none));
  assert.is((await refusal(invoke(lambda, name))).name, "TooManyRequestsException");
});

test("returns answers up to the limit of 6 MB whole, and rejects larger ones", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async (n) => 'a'.repeat(n);");
  assert.is((await invoke(lambda, name, 6_291_454)).payload.length, 6_291_454);
  assert.is((await invoke(lambda, name, 6_291_456)).payload.errorType, "Function.ResponseSizeTooLarge");
});

test("rejects requests above the limit of 6 MB", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async (e) => e.length;");
  assert.is((await invoke(lambda, name, "a".repeat(6_291_454))).payload, 6_291_454);
  assert.is((await refusal(invoke(lambda, name, "a".repeat(6_291_455)))).name, "RequestEntityTooLargeException");
});

test("rejects a payload that is not JSON", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async () => 1;");
  const Payload = Buffer.from("{not json");
  assert.is((await refusal(invoke(lambda, name, undefined, { Payload }))).name, "InvalidRequestContentException");
});

test("accepts a payload with line breaks", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async (e) => e;");
  const Payload = Buffer.from('{\n  "a": "b\\nc"\r\n}');
  assert.equal((await invoke(lambda, name, undefined, { Payload })).payload, { a: "b\nc" });
});

test("accepts an asynchronous invocation at once and runs it", async () => {
  const source = `
    import { writeFileSync, existsSync } from "node:fs"; import { tmpdir } from "node:os";
    export const handler = async ({ write, read }) => {
      if (write) return writeFileSync(tmpdir() + "/" + write, "");
      while (!existsSync(tmpdir() + "/" + read)) await new Promise((done) => setTimeout(done, 5));
      return "it ran";
    };`;
  const name = await createFunction(cloud, lambda, source);
  const file = unique("async");
  const Payload = Buffer.from(JSON.stringify({ write: file }));
  const { StatusCode } = await lambda.send(new InvokeCommand({ FunctionName: name, InvocationType: "Event", Payload }));
  assert.is(StatusCode, 202);
  assert.is((await invoke(lambda, name, { read: file })).payload, "it ran");
});

test("rejects a runtime other than Node.js by name", async () => {
  const name = await createFunction(cloud, lambda, "", { Runtime: "python3.12" });
  assert.match((await invoke(lambda, name)).payload.errorMessage, "runs Node.js functions, not python3.12");
});

test.run();
