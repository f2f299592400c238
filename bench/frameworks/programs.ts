import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { findJdks } from "../../packages/local/opensearch/java.ts";
import { chooseVersion } from "../../packages/local/opensearch/versions.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { ROOT } from "../../test/fixtures/env.ts";
import { pythonWith } from "../../test/fixtures/python.ts";
import { installNpm } from "../npm-folder.ts";

/** A command that runs a program. */
export type Command = readonly [file: string, ...args: string[]];

/** A program that uses a client or framework unmodified, as its documentation says. */
interface Program {
  /** The package and its version. */
  title: string;
  /** Installs what the program needs, and returns how to run it. Throws if a tool is missing. */
  install(): Promise<Command>;
}

const PROGRAMS = join(import.meta.dirname, "programs");
const LOCAL = join(ROOT, ".local");

/** Returns the version of a Python package among the pins; the last line of several is for the newest Python. */
function pinned(name: string): string {
  const pins = readFileSync(join(import.meta.dirname, "frameworks.txt"), "utf8");
  return [...pins.matchAll(new RegExp(`^${name}==(\\S+)`, "gm"))].at(-1)?.[1] ?? "";
}

const python = (name: string, file: string): Program => ({
  title: `${name} ${pinned(name)}`,
  install: async () => [
    await pythonWith("frameworks", join(import.meta.dirname, "frameworks.txt")),
    join(PROGRAMS, file),
  ],
});

/** Builds once for each content of the given files, in a folder that is named after them. */
function buildOnce(name: string, files: readonly string[], build: (folder: string) => void): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  const home = join(LOCAL, `${name}-${hash.digest("hex").slice(0, 12)}`);
  if (existsSync(home)) return home;
  const staging = scratchFolder(LOCAL, `.installing-${name}`);
  build(staging);
  renameSync(staging, home);
  return home;
}

const inherit = { stdio: ["ignore", "inherit", "inherit"] } satisfies Parameters<typeof execFileSync>[2];

/** The programs by name, in the order of the table. */
export const programs: Readonly<Record<string, Program>> = {
  langchain: python("langchain-community", "langchain.py"),
  llamaindex: python("llama-index-vector-stores-opensearch", "llamaindex.py"),
  haystack: python("opensearch-haystack", "haystack_store.py"),
  searchkit: {
    title: "searchkit 4.16.0",
    async install() {
      const home = installNpm(import.meta.dirname, "frameworks");
      // Packages are found from the folder of the program.
      copyFileSync(join(PROGRAMS, "searchkit.mjs"), join(home, "searchkit.mjs"));
      return [process.execPath, join(home, "searchkit.mjs")];
    },
  },
  "opensearch-py": python("opensearch-py", "opensearch_py.py"),
  "opensearch-js": {
    title: "opensearch-js 3.9.0",
    install: async () => [process.execPath, join(PROGRAMS, "opensearch-js.ts")],
  },
  "opensearch-go": {
    title: "opensearch-go 4.8.1",
    async install() {
      const files = ["main.go", "go.mod", "go.sum"].map((file) => join(PROGRAMS, file));
      const home = buildOnce("opensearch-go", files, (folder) => {
        const env = { ...process.env, GOFLAGS: "-mod=readonly -buildvcs=false", GOTOOLCHAIN: "local" };
        execFileSync("go", ["build", "-o", join(folder, "program"), "."], { ...inherit, cwd: PROGRAMS, env });
      });
      return [join(home, "program")];
    },
  },
  "opensearch-java": {
    title: "opensearch-java 3.3.0",
    async install() {
      const { jdk } = chooseVersion(findJdks());
      const pom = join(import.meta.dirname, "frameworks.pom.xml");
      const home = buildOnce("opensearch-java", [pom], (folder) => {
        const env = { ...process.env, JAVA_HOME: jdk.home };
        // Compares each file with the checksum that the repository states, and fails if they differ.
        const options = ["-B", "-q", "--strict-checksums", "-f", pom, `-Dhome=${folder}`, "generate-resources"];
        execFileSync("mvn", options, { ...inherit, env });
      });
      return [join(jdk.home, "bin/java"), "-cp", join(home, "*"), join(PROGRAMS, "Main.java")];
    },
  },
};
