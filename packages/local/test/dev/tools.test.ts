import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { devOptions } from "../../dev/options.ts";
import { type Check, findingsOf, localChecks } from "../../dev/tools.ts";

const test = suite("tools of the local stack");

/** The packages of each system with the programs, by what `relevance doctor` calls these. */
const COMMANDS = {
  debian: {
    "Node.js": "sudo apt-get install nodejs npm",
    npm: "sudo apt-get install nodejs npm",
    make: "sudo apt-get install make",
    Java: "sudo apt-get install default-jdk-headless",
    Maven: "sudo apt-get install maven",
    Python: "sudo apt-get install python3 python3-venv",
    Terraform: "curl -fsSL https://get.opentofu.org/install-opentofu.sh | sh -s -- --install-method deb",
  },
  fedora: {
    "Node.js": "sudo dnf install nodejs npm",
    npm: "sudo dnf install nodejs npm",
    make: "sudo dnf install make",
    Java: "sudo dnf install java-21-openjdk-devel",
    Maven: "sudo dnf install maven",
    Python: "sudo dnf install python3",
    Terraform: "sudo dnf install opentofu",
  },
  macos: {
    "Node.js": "brew install node",
    npm: "brew install node",
    make: "xcode-select --install",
    Java: "brew install openjdk@21",
    Maven: "brew install maven",
    Python: "brew install python",
    Terraform: "brew install opentofu",
  },
} as const;

const options = devOptions([], {});
if (!options) throw new Error("there are no options");
const checks: Check[] = [...localChecks(options), ["Terraform", "terraform", () => ""]];
const allMissing = checks
  .filter(([, tool]) => tool !== undefined)
  .map(([name, tool]): Check => [name, tool, () => Promise.reject(new Error(`There is no ${name}`))]);

for (const system of ["debian", "fedora", "macos"] as const) {
  test(`names all missing programs at once, each with its command for ${system}`, async () => {
    assert.equal(
      (await findingsOf(allMissing, system)).map(({ name, problem }) => [name, problem]),
      Object.entries(COMMANDS[system]).map(([name, command]) => [name, `There is no ${name}\n  ${command}`]),
    );
  });
}

test.run();
