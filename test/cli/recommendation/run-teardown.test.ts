import * as assert from "uvu/assert";
import type { Project } from "../../../cli/project.ts";
import { runTeardown } from "../../../cli/recommendation/run-teardown.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { serveStandIns } from "../../fixtures/stand-in-server.ts";
import { suite } from "../../suite.ts";

const test = suite("teardown of what training created");

/** Starts the teardown while Step Functions returns an error. Returns the operations that it received. */
async function teardown(error: string) {
  const operations: (string | undefined)[] = [];
  const server = await serveStandIns([
    {
      services: ["states"],
      async handle({ headers }) {
        operations.push(headers["x-amz-target"]);
        return { status: 400, body: JSON.stringify({ __type: error, message: error }) };
      },
    },
  ]);
  const env = { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
  Object.assign(process.env, env);
  const names = namesOf({ project: "shop", account: "123456789012", region: "eu-west-1" });
  const project = { sdk: { region: "eu-west-1" }, terminal: { note: () => {} }, env, names };
  try {
    await runTeardown(project as unknown as Project);
  } finally {
    await server.stop();
  }
  return operations;
}

for (const error of ["StateMachineDoesNotExist", "StateMachineDeleting"]) {
  test(`does nothing on ${error}, because an interrupted uninstallation got further`, async () => {
    assert.equal(await teardown(error), ["AWSStepFunctions.StartExecution"]);
  });
}

test("fails at any other error", async () => {
  const error = await teardown("InvalidArn").catch((thrown: unknown) => thrown);
  assert.match(String(error), "InvalidArn");
});

test.run();
