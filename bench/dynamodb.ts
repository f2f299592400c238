import { execFileSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { findJdks } from "../packages/local/opensearch/java.ts";
import { chooseVersion } from "../packages/local/opensearch/versions.ts";
import { freePort } from "../packages/processes/ports.ts";
import { scratchFolder } from "../packages/processes/scratch.ts";
import { startServer } from "../packages/processes/server.ts";
import { waitFor } from "../packages/processes/wait.ts";
import { ROOT } from "../test/fixtures/env.ts";
import { FOLDER } from "./gateway-setup.ts";

const POM = join(import.meta.dirname, "dynamodb.pom.xml");
const HOME = join(ROOT, ".local/dynamodb-2.6.1");

/** Starts DynamoDB Local, a real engine where moto is a table in Python. Installs it first with Maven, 50 MB, once. */
export async function startDynamoDb(): Promise<{ url: string; stop(): Promise<unknown> }> {
  const { jdk } = chooseVersion(findJdks());
  if (!existsSync(HOME)) {
    const staging = scratchFolder(join(ROOT, ".local"), "installing-dynamodb");
    const env = { ...process.env, JAVA_HOME: jdk.home };
    execFileSync("mvn", ["-B", "-q", "-f", POM, `-Dhome=${staging}`, "generate-resources"], { env, stdio: "inherit" });
    renameSync(staging, HOME);
  }
  const port = await freePort();
  const server = await startServer({
    command: join(jdk.home, "bin/java"),
    args: [
      `-Djava.library.path=${HOME}`,
      "-cp",
      join(HOME, "*"),
      "com.amazonaws.services.dynamodbv2.local.main.ServerRunner",
      ...["-inMemory", "-sharedDb", "-disableTelemetry", "-port", String(port)],
    ],
    logFile: join(FOLDER, "dynamodb.log"),
  });
  const url = `http://127.0.0.1:${port}`;
  // Any answer will do: it refuses calls without credentials.
  await waitFor(async () => (await fetch(url)).status > 0, { what: `DynamoDB Local at ${url}`, timeoutMs: 30_000 });
  return { url, stop: () => server.stop() };
}
