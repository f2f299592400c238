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

type Answer = Awaited<ReturnType<typeof invoke>>;

/** A function, by its source and settings, each event that it gets in turn, and what its answers are. */
const ANSWERS: Readonly<
  Record<
    string,
    [source: string, more: Parameters<typeof createFunction>[3], ...calls: [event: unknown, check: Check][]]
  >
> = {
  "keeps the module loaded between events": [
    "let n = 0; export const handler = async (e) => [e, ++n];",
    {},
    [
      "a",
      ({ status, error, payload, version }) =>
        assert.equal([status, error, payload, version], [200, undefined, ["a", 1], "$LATEST"]),
    ],
    ["b", ({ payload }) => assert.equal(payload, ["b", 2])],
  ],
  "gives the function its variables, the pinned Node.js and the front endpoint": [
    "export const handler = async () => ({ ...process.env, node: process.version });",
    { Environment: { Variables: { COLOUR: "green" } } },
    [
      {},
      ({ payload }) =>
        assert.equal(
          [
            payload.COLOUR,
            payload.AWS_REGION,
            payload.AWS_LAMBDA_INITIALIZATION_TYPE,
            payload.node,
            payload.AWS_ENDPOINT_URL,
          ],
          ["green", "eu-west-1", "on-demand", process.version, cloud.endpoint],
        ),
    ],
  ],
  "returns an error of the handler as a FunctionError with type, message and trace": [
    "export const handler = async () => { throw new RangeError('too far'); };",
    {},
    [
      {},
      ({ error, payload, logs }) => {
        assert.equal([error, payload.errorType, payload.errorMessage], ["Unhandled", "RangeError", "too far"]);
        assert.match(payload.trace[1], "index.mjs");
        assert.match(logs, "too far");
      },
    ],
  ],
  "a module that does not load is a FunctionError": [
    "import './missing.mjs'; export const handler = async () => 1;",
    {},
    [{}, fails("", "missing.mjs")],
  ],
  "names a handler that is not exported": [
    "export const other = 1;",
    {},
    [{}, fails("Runtime.HandlerNotFound", "index.handler is undefined or not exported")],
  ],
  "ends a function that takes too long, and runs it again afterwards": [
    "export const handler = (e) => e.hang ? new Promise(() => setInterval(() => {}, 1000)) : 'well';",
    { Timeout: 1 },
    [{ hang: true }, fails("Sandbox.Timedout", "Task timed out after 1.00 seconds")],
    [{}, returns("well")],
  ],
  "also ends a function that blocks its event loop": [
    "export const handler = async () => { for (;;); };",
    { Timeout: 1 },
    [{}, fails("Sandbox.Timedout", "")],
  ],
  "reports a process that exits as an error, and starts a new one for the next event": [
    "export const handler = async (e) => { if (e.exit) process.exit(7); return 'well'; };",
    {},
    [{ exit: true }, fails("Runtime.ExitError", "exit status 7")],
    [{}, returns("well")],
  ],
  "the context counts down from the function's timeout": [
    "export const handler = async (e, c) => [c.memoryLimitInMB, c.getRemainingTimeInMillis()];",
    { Timeout: 5, MemorySize: 256 },
    [
      {},
      ({ payload: [memory, remaining] }) =>
        assert.ok(memory === "256" && remaining > 3000 && remaining <= 5000, `${remaining} ms remain`),
    ],
  ],
  "prefixes console lines as Lambda does, but no other output": [
    `export const handler = async (e, c) => {
      console.error("one\\ntwo", { three: 3 }); process.stdout.write('{"kind":"line"}\\n'); return c.awsRequestId; };`,
    {},
    [
      {},
      ({ payload, logs }) => {
        const [stamped, plain] = logs.split("\n");
        assert.match(stamped ?? "", new RegExp(`^\\d{4}-\\S+Z\t${payload}\tERROR\tone\rtwo { three: 3 }$`));
        assert.is(plain, '{"kind":"line"}');
      },
    ],
  ],
  "writes console lines as objects in the JSON log format": [
    "export const handler = async () => { console.warn({ code: 7 }); };",
    { LoggingConfig: { LogFormat: "JSON" } },
    [
      {},
      ({ logs }) => {
        const { level, message } = JSON.parse(logs);
        assert.equal([level, message], ["WARN", { code: 7 }]);
      },
    ],
  ],
  "returns answers up to the limit of 6 MB whole, and rejects larger ones": [
    "export const handler = async (n) => 'a'.repeat(n);",
    {},
    [6_291_454, ({ payload }) => assert.is(payload.length, 6_291_454)],
    [6_291_456, fails("Function.ResponseSizeTooLarge", "")],
  ],
  "rejects a runtime other than Node.js by name": [
    "",
    { Runtime: "python3.12" },
    [{}, fails("", "runs Node.js functions, not python3.12")],
  ],
};

type Check = (answer: Answer) => void;

function returns(expected: unknown): Check {
  return ({ payload }) => assert.equal(payload, expected);
}

/** Checks that the function failed, with this type, unless empty, and a message that contains a text. */
function fails(type: string, message: string): Check {
  return ({ error, payload }) => {
    assert.is(error, "Unhandled");
    if (type !== "") assert.is(payload.errorType, type);
    assert.ok(payload.errorMessage.includes(message), payload.errorMessage);
  };
}

for (const [promise, [source, more, ...calls]] of Object.entries(ANSWERS)) {
  test(promise, async () => {
    const name = await createFunction(cloud, lambda, source, more);
    for (const [event, check] of calls) check(await invoke(lambda, name, event));
  });
}

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

test("throttles invocations above the reserved concurrency", async () => {
  const name = await createFunction(cloud, lambda, "export const handler = async () => 1;");
  const none = { FunctionName: name, ReservedConcurrentExecutions: 0 };
  await lambda.send(new PutFunctionConcurrencyCommand(none));
  assert.is((await refusal(invoke(lambda, name))).name, "TooManyRequestsException");
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

test.run();
