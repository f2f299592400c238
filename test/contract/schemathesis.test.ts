import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { OPENAPI_FILE, RECOMMENDATION_OPENAPI_FILE } from "../../build/reference.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { patient } from "../../packages/processes/wait.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { type Services, startServices } from "./services.ts";
import { runTool } from "./tools.ts";

const test = suite("schemathesis");

let services: Services;
test.before(async () => {
  services = await startServices();
});
test.after(() => services.stop());

const folder = scratchFolder(TEST_OUTPUT, "schemathesis");
for (const file of ["schemathesis.toml", "hooks.py"]) {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(import.meta.dirname, "tools", file), join(folder, file));
}

/** Fails with what schemathesis prints when an answer does not fit the document. The seed makes runs alike. */
async function check(document: URL, url: string): Promise<void> {
  const bounds = ["--seed", "20261122", "--max-examples", "20", "--phases", "examples,coverage,fuzzing", "--no-shrink"];
  const target = ["--url", url, "-H", `x-api-key: ${services.env.API_KEY}`, "--request-timeout", String(patient(60))];
  const quiet = ["--no-color", "--warnings", "off", "--suppress-health-check", "all"];
  await runTool("schemathesis", ["run", document.pathname, ...target, ...bounds, ...quiet, "--continue-on-failure"], {
    cwd: folder,
    env: services.env,
  });
}

test("the search gateway does what its OpenAPI document says", () => check(OPENAPI_FILE, services.env.GATEWAY_URL));

test("the recommendation service does what its OpenAPI document says", () =>
  check(RECOMMENDATION_OPENAPI_FILE, services.env.RECOMMENDATION_URL));

test.run();
