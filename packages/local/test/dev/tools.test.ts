import { commandsFor } from "@relevance/processes/tools.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { devOptions } from "../../dev/options.ts";
import { type Check, findingsOf, localChecks } from "../../dev/tools.ts";

const test = suite("tools of the local stack");

test("names all missing programs at once, each with the command of the system that installs it", async () => {
  const options = devOptions([], {});
  assert.ok(options);
  const missing = localChecks(options).flatMap(([name, tool]): Check[] =>
    tool ? [[name, tool, () => Promise.reject(new Error(`There is no ${name}`))]] : [],
  );
  assert.equal(
    missing.map(([name]) => name),
    ["Node.js", "npm", "make", "Java", "Maven", "Python"],
  );
  for (const system of ["debian", "fedora", "macos"] as const) {
    const findings = await findingsOf(missing, system);
    for (const [at, [name, tool]] of missing.entries()) {
      const commands = commandsFor(tool as never, system);
      assert.ok(commands.length > 0, `${name} on ${system}`);
      assert.is(findings[at]?.problem, [`There is no ${name}`, ...commands].join("\n  "));
    }
  }
});

test.run();
