import { LambdaClient } from "@aws-sdk/client-lambda";
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import * as assert from "uvu/assert";
import { createFunction, createRole, invoke, unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions, ownCloud, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: Step Functions");
const cloud = await sharedCloud();
const sfn = new SFNClient(clientOptions(cloud));
const lambda = new LambdaClient(clientOptions(cloud));

async function createMachine(definition: object): Promise<string> {
  const roleArn = await createRole(cloud);
  const machine = { name: unique("machine"), roleArn, definition: JSON.stringify(definition) };
  const { stateMachineArn = "" } = await sfn.send(new CreateStateMachineCommand(machine));
  return stateMachineArn;
}

/** Runs a definition to its end. */
async function execute(definition: object, input: unknown = {}, name?: string) {
  return run(sfn, await createMachine(definition), { input: JSON.stringify(input), name });
}

async function run(sfn: SFNClient, stateMachineArn: string, started: { input?: string; name?: string | undefined }) {
  const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn, ...started }));
  const ended = await waitFor(
    async () => {
      const found = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      return found.status !== "RUNNING" && found;
    },
    { what: "the execution to end", timeoutMs: 20_000, intervalMs: 50 },
  );
  const { status, error, cause } = ended;
  return { status, error, cause, output: JSON.parse(ended.output ?? "null") };
}

/** A Distributed Map over `$.items` that calls the function with each item. */
const mapOver = (name: string, more: object = {}) => ({
  StartAt: "Each",
  States: {
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
        StartAt: "Call",
        States: {
          Call: {
            Type: "Task",
            Resource: "arn:aws:states:::lambda:invoke",
            Parameters: { FunctionName: name, "Payload.$": "$" },
            OutputPath: "$.Payload",
            End: true,
          },
        },
      },
      MaxConcurrency: 2,
      End: true,
      ...more,
    },
  },
});

const ECHO = "export const handler = async (e) => e;";
const FAIL_ODD = `export const handler = async (n) => { if (n % 2) throw new Error("odd"); return n; };`;

test("an execution without a name gets one", async () => {
  const definition = {
    StartAt: "Name",
    States: { Name: { Type: "Pass", Parameters: { "name.$": "$$.Execution.Name" }, End: true } },
  };
  assert.match((await execute(definition)).output.name, /^[0-9a-f-]{36}$/);
  assert.is((await execute(definition, {}, "given")).output.name, "given");
});

test("a task runs the function's code, and its error is caught by name", async () => {
  const name = await createFunction(
    cloud,
    lambda,
    "export const handler = async () => { throw new RangeError('no'); };",
  );
  const definition = {
    StartAt: "Call",
    States: {
      Call: {
        Type: "Task",
        Resource: "arn:aws:states:::lambda:invoke",
        Parameters: { FunctionName: name },
        Catch: [{ ErrorEquals: ["RangeError"], Next: "Caught" }],
        End: true,
      },
      Caught: { Type: "Pass", Result: { caught: true }, End: true },
    },
  };
  assert.equal((await execute(definition)).output, { caught: true });
});

test("an error of an AWS SDK task is caught by the name that AWS gives it", async () => {
  const definition = {
    StartAt: "Get",
    States: {
      Get: {
        Type: "Task",
        Resource: "arn:aws:states:::aws-sdk:ssm:getParameter",
        Parameters: { Name: unique("/missing") },
        Catch: [{ ErrorEquals: ["Ssm.ParameterNotFoundException"], Next: "Caught" }],
        End: true,
      },
      Caught: { Type: "Pass", Result: { caught: true }, End: true },
    },
  };
  assert.equal((await execute(definition)).output, { caught: true });
});

test("a Distributed Map batches its items and adds the batch's input", async () => {
  const name = await createFunction(cloud, lambda, ECHO);
  const ItemBatcher = { MaxItemsPerBatch: 2, BatchInput: { fixed: 1, "run.$": "$.run" } };
  const { output } = await execute(mapOver(name, { ItemBatcher }), { items: [1, 2, 3], run: "r" });
  const BatchInput = { fixed: 1, run: "r" };
  assert.equal(output, [
    { BatchInput, Items: [1, 2] },
    { BatchInput, Items: [3] },
  ]);
});

for (const [tolerated, items, status] of [
  [{}, [1, 2], "FAILED"],
  [{ ToleratedFailurePercentage: 25 }, [1, 2, 4, 6], "SUCCEEDED"],
  [{ ToleratedFailurePercentage: 24 }, [1, 2, 4, 6], "FAILED"],
  [{ ToleratedFailureCount: 2 }, [1, 2, 3, 4], "SUCCEEDED"],
  [{ ToleratedFailureCount: 1 }, [1, 2, 3, 4], "FAILED"],
] as const) {
  test(`a Distributed Map whose odd items of ${items} fail is ${status} with ${JSON.stringify(tolerated)}`, async () => {
    const ended = await execute(mapOver(await createFunction(cloud, lambda, FAIL_ODD), tolerated), { items });
    assert.is(ended.status, status);
    if (status === "SUCCEEDED")
      assert.equal(
        ended.output,
        items.filter((item) => item % 2 === 0),
      );
    else assert.is(ended.error, "States.ExceedToleratedFailureThreshold");
  });
}

test("the failure of a Distributed Map is caught by name", async () => {
  const name = await createFunction(cloud, lambda, FAIL_ODD);
  const definition = mapOver(name, {
    Catch: [{ ErrorEquals: ["States.ExceedToleratedFailureThreshold"], Next: "Caught" }],
  });
  const States = { ...definition.States, Caught: { Type: "Pass", Result: { caught: true }, End: true } };
  assert.equal((await execute({ ...definition, States }, { items: [1] })).output, { caught: true });
});

test("a hasty cloud shortens waits and timeouts to given limits, whatever the definitions say", async () => {
  const hasty = await ownCloud({ longestWaitSeconds: 0.1, shortCalls: { short: 1 } });
  try {
    const functions = new LambdaClient(clientOptions(hasty));
    const source = "export const handler = (_, context) => context.getRemainingTimeInMillis();";
    for (const [FunctionName, least, most] of [
      ["short", 0, 1_000],
      ["long", 8_000, 10_000],
    ] as const) {
      await createFunction(hasty, functions, source, { FunctionName });
      const { payload } = await invoke(functions, FunctionName);
      assert.ok(payload > least && payload <= most, `${FunctionName}: ${payload} ms`);
    }
    const client = new SFNClient(clientOptions(hasty));
    const states = {
      Once: { Type: "Wait", Seconds: 3_600, Next: "Twice" },
      Twice: { Type: "Wait", SecondsPath: "$.seconds", Next: "Done" },
      Done: { Type: "Succeed" },
    };
    const { stateMachineArn = "" } = await client.send(
      new CreateStateMachineCommand({
        name: unique("machine"),
        roleArn: await createRole(hasty),
        definition: JSON.stringify({ StartAt: "Once", States: states }),
      }),
    );
    const { status } = await run(client, stateMachineArn, { input: JSON.stringify({ seconds: 7_200 }) });
    assert.is(status, "SUCCEEDED");
  } finally {
    await hasty.stop();
  }
});

test.run();
