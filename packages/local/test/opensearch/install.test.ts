import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError, MissingTool } from "@relevance/processes/error.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { installOpenSearch } from "../../opensearch/install.ts";

const test = suite("OpenSearch installation");

let folder = "";
test.before.each(() => {
  folder = realpathSync(scratchFolder(TEST_OUTPUT, "install"));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const JDKS = [
  { home: "/jvm/17", major: 17 },
  { home: "/jvm/25", major: 25 },
];

/** Writes a Maven that records its calls and unpacks a server, or runs `script`. Returns its path. */
function maven(script = UNPACKS): string {
  const path = join(folder, "mvn");
  writeFileSync(path, `#!/bin/sh\necho "$JAVA_HOME $@" >> ${folder}/calls\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const UNPACKS = `
for word in "$@"; do case $word in -Dos=*) os=\${word#-Dos=};; -Dhome=*) home=\${word#-Dhome=};; esac; done
mkdir -p "$home/opensearch-$os/bin"
echo "exec java" > "$home/opensearch-$os/bin/opensearch-keystore"
chmod 755 "$home/opensearch-$os/bin/opensearch-keystore"
echo "[INFO] Downloaded from central: https://example.com/x/opensearch-knn-$os.0.zip (6.3 MB at 15 MB/s)"`;

const calls = () => (existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8").split("\n") : []);
const server = (version = "2.19.6") => join(folder, "os", `opensearch-${version}`);
const install = (
  command: string,
  version: "2.19.6" | "3.6.0" = "2.19.6",
  onProgress: (line: string) => void = () => {},
) => installOpenSearch({ version, dir: join(folder, "os"), jdks: JDKS, maven: command, onProgress });

async function failure(installation: Promise<unknown>): Promise<Error> {
  const error = await installation.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, LocalError);
  return error as Error;
}

test("installs the server alone, whose keystore has no password, and does nothing the second time", async () => {
  const command = maven();
  assert.is(await install(command), server());
  assert.is(await install(command), server());
  assert.is(calls().filter((line) => line !== "").length, 1);
  assert.equal(readdirSync(join(folder, "os")), ["opensearch-2.19.6"]);
  // Without a Java for that.
  assert.is(spawnSync(join(server(), "bin/opensearch-keystore"), ["has-passwd", "--silent"]).status, 1);
});

test("runs Maven on the Java of the server, and writes the descriptors that only 2.19's module jars lack", async () => {
  const command = maven();
  await install(command, "2.19.6");
  await install(command, "3.6.0");
  assert.match(calls()[0] ?? "", /^\/jvm\/17 .*-Dos=2\.19\.6 .*-P modules-from-jars generate-resources$/);
  assert.match(calls()[1] ?? "", /^\/jvm\/25 .*-Dos=3\.6\.0 -Dhome=\S+ generate-resources$/);
  const descriptor = (version: string) =>
    join(server(version), "modules/search-pipeline-common/plugin-descriptor.properties");
  const lines = readFileSync(descriptor("2.19.6"), "utf8").split("\n");
  assert.ok(lines.includes("classname=org.opensearch.search.pipeline.common.SearchPipelineCommonModulePlugin"));
  assert.ok(lines.includes("opensearch.version=2.19.6") && lines.includes("extended.plugins=lang-painless"));
  assert.ok(existsSync(join(server(), "modules/lang-painless/plugin-security.policy")));
  assert.is(existsSync(descriptor("3.6.0")), false);
});

test("reinstalls over an incomplete installation", async () => {
  const command = maven();
  await install(command);
  rmSync(join(server(), ".complete"));
  writeFileSync(join(server(), "half"), "");

  await install(command);

  assert.is(existsSync(join(server(), "half")), false);
  assert.ok(existsSync(join(server(), ".complete")));
});

test("leaves no server after a failed download, shows Maven's message, and succeeds later", async () => {
  const error = await failure(
    install(maven("echo '[INFO] x'; echo '[ERROR] Could not transfer: Unknown host'; echo '[ERROR] more'; exit 1")),
  );
  assert.match(error.message, "OpenSearch 2.19.6 could not be downloaded (mvn ended with 1).");
  assert.match(error.message, "Maven said: Could not transfer: Unknown host");
  assert.match(error.message, "check the network");
  assert.equal(readdirSync(join(folder, "os")), []);
  assert.is(await install(maven()), server());
});

test("shows Maven's standard error if it fails before logging anything", async () => {
  const error = await failure(install(maven("echo 'JAVA_HOME is not defined correctly' >&2; exit 1")));
  assert.match(error.message, "Maven said: JAVA_HOME is not defined correctly");
});

test("says that Maven is missing, and how to get it", async () => {
  const error = await failure(install("no-such-mvn"));
  assert.instance(error, MissingTool);
  assert.match(error.message, "there is no no-such-mvn on the PATH. Install Maven");
});

test("reports downloads without their addresses", async () => {
  const lines: string[] = [];
  await install(maven(), "2.19.6", (line) => line.endsWith("so far") || lines.push(line));
  assert.equal(lines, [
    "installing OpenSearch 2.19.6 (73 MB to download, once)",
    "  opensearch-knn-2.19.6.0.zip: 6.3 MB at 15 MB/s",
    "installed OpenSearch 2.19.6",
  ]);
});

test.run();
