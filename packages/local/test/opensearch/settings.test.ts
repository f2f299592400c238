import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { nodeFolder } from "../../opensearch/node-folder.ts";
import { type NodeSettings, unprivileged, writeSettings } from "../../opensearch/settings.ts";

const test = suite("OpenSearch settings and user");

const dir = scratchFolder(TEST_OUTPUT, "settings with space");
test.after(() => rmSync(dir, { recursive: true, force: true }));

const folder = nodeFolder(dir);
const home = join(dir, "home");
mkdirSync(join(home, "config"), { recursive: true });
mkdirSync(folder.conf, { recursive: true });
writeFileSync(join(home, "config/log4j2.properties"), "status = error\n");
writeFileSync(
  join(home, "config/jvm.options"),
  `# comment
-Xms1g
-Xmx1g
11-:-XX:+UseG1GC
-XX:HeapDumpPath=data
-XX:ErrorFile=logs/hs_err_pid%p.log
9-:-Xlog:gc*:file=logs/gc.log
18-:-Djava.security.manager=allow
`,
);

function written(settings: Partial<NodeSettings> = {}) {
  const usual = { home, folder, port: 9200, transportPort: 9300, heap: "700m", quickStart: false, extra: {} };
  writeSettings({ ...usual, ...settings });
  return {
    yaml: parse(readFileSync(join(folder.conf, "opensearch.yml"), "utf8")) as Record<string, unknown>,
    jvm: readFileSync(join(folder.conf, "jvm.options"), "utf8").split("\n"),
  };
}

test("listens only on the loopback address, and keeps what the server writes in the node's folder", () => {
  const { yaml, jvm } = written();
  assert.equal([yaml["network.host"], yaml["http.port"], yaml["transport.port"]], ["127.0.0.1", 9200, 9300]);
  assert.equal([yaml["path.data"], yaml["path.logs"]], [folder.data, folder.logs]);
  assert.not.match(jvm.join("\n"), /gc\.log|HeapDumpPath|ErrorFile=logs/);
});

test("accepts more settings, which take precedence", () => {
  const { yaml } = written({ extra: { "thread_pool.write.queue_size": 1, "cluster.name": "other" } });
  assert.equal([yaml["thread_pool.write.queue_size"], yaml["cluster.name"]], [1, "other"]);
});

test("sets the requested heap and keeps the distribution's other options", () => {
  const { jvm } = written();
  assert.equal(
    jvm.filter((line) => /^-Xm/.test(line)),
    ["-Xms700m", "-Xmx700m"],
  );
  for (const kept of ["18-:-Djava.security.manager=allow", "11-:-XX:+UseG1GC"]) assert.ok(jvm.includes(kept));
});

test("optimizes less, verifies nothing and collects garbage without threads only for a quick start", () => {
  const options = ["TieredStopAtLevel=1", "-AlwaysPreTouch", "-BytecodeVerificationRemote", "+UseSerialGC"];
  for (const option of options.map((one) => `-XX:${one}`)) {
    assert.is(written({ quickStart: true }).jvm.includes(option), true);
    assert.is(written({ quickStart: false }).jvm.includes(option), false);
  }
});

test("runs the server as another user only if the current one is root", () => {
  assert.equal(unprivileged(1000).prefix, []);
  assert.match(unprivileged(0).prefix.join(" "), /^setpriv .*--reuid=[1-9]/);
});

if (process.getuid?.() === 0) {
  test("as root, hands over folders, and reports a folder that the other user cannot enter", () => {
    const user = unprivileged(0);
    const closed = join(dir, "closed");
    const file = join(closed, "file");
    mkdirSync(closed, { mode: 0o700 });
    writeFileSync(file, "");
    try {
      user.requireReadable(file);
      assert.unreachable("the file was called readable");
    } catch (error) {
      assert.instance(error, LocalError);
      assert.match((error as Error).message, `cannot read ${file}: let everyone enter the folders above it`);
    }
    chmodSync(file, 0o600);
    user.own(closed);
    user.requireReadable(file);
  });
}

test.run();
