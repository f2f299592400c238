import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { startBrowser } from "../../../../test/fixtures/browser.ts";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";

const test = suite("the browser of the tests");

async function messageOf(program: string): Promise<string> {
  try {
    await (await startBrowser(program)).close();
    return "started";
  } catch (error) {
    return (error as Error).message;
  }
}

test("says what to install if there is no browser or it does not start", async () => {
  const folder = scratchFolder(TEST_OUTPUT, "browser");
  const absent = join(folder, "absent");
  assert.match(
    await messageOf(absent),
    `There is no program ${absent}. Install Chromium (\`apt-get install chromium\`)`,
  );
  const broken = join(folder, "broken");
  writeFileSync(broken, "#!/bin/sh\necho libnss3.so is missing >&2\nexit 1\n", { mode: 0o755 });
  const message = await messageOf(broken);
  assert.match(message, `${broken} does not start. Install Chromium`);
  assert.match(message, "libnss3.so is missing");
});

test.run();
