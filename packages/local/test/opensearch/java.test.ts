import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { findJdks, majorOfRelease, majorOfVersionOutput } from "../../opensearch/java.ts";

const test = suite("Java discovery");

let folder = "";
test.before.each(() => {
  folder = realpathSync(scratchFolder(TEST_OUTPUT, "java"));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

function executable(path: string, script: string) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** Creates a Java home, with a `release` file unless the version is to be read from java itself. */
function jdk(name: string, version: string, { release = true } = {}): string {
  const home = join(folder, name);
  executable(join(home, "bin/java"), `echo 'openjdk version "${version}" 2025-01-01' >&2`);
  if (release) writeFileSync(join(home, "release"), `IMPLEMENTOR="x"\nJAVA_VERSION="${version}"\n`);
  return home;
}

const find = (env: NodeJS.ProcessEnv, ...roots: string[]) =>
  findJdks({ env, roots: roots.map((root) => join(folder, root)) }).map(({ home, major }) => ({
    home: home.slice(folder.length + 1),
    major,
  }));

for (const [version, major] of [
  ["17.0.15", 17],
  ["25", 25],
  ["25.0.3+9-LTS", 25],
  ["21-ea", 21],
  ["1.8.0_412", 8],
] as const) {
  test(`reads version ${version} as Java ${major}, from a release file and from java's output`, () => {
    assert.is(majorOfRelease(`IMPLEMENTOR="Debian"\nJAVA_VERSION="${version}"\nOS_ARCH="x86_64"\n`), major);
    assert.is(majorOfVersionOutput(`openjdk version "${version}" 2025-04-15\nOpenJDK Runtime Environment\n`), major);
  });
}

test("finds no version in text without one", () => {
  assert.is(majorOfRelease('IMPLEMENTOR_VERSION="17"\n'), undefined);
  assert.is(majorOfVersionOutput("The operation could not be completed. Unable to locate a Java Runtime."), undefined);
});

test("finds the home in each variable that names one", () => {
  const named = [
    "JAVA_HOME",
    "JAVA_HOME_21",
    "JAVA21_HOME",
    "JAVA_21_HOME",
    "JDK21_HOME",
    "JAVA_HOME_21_X64",
    "JDK_21",
  ];
  const home = jdk("alone/j", "21.0.2");
  for (const name of named) assert.equal(find({ [name]: home }), [{ home: "alone/j", major: 21 }], name);
});

test("prefers JAVA_HOME, then other variables, then the PATH, and lists each home once", () => {
  const [a, b, c] = [jdk("a/j", "17.0.1"), jdk("b/j", "21.0.1"), jdk("c/j", "25.0.1")];
  const env = { PATH: join(c, "bin"), JAVA_21: b, JAVA21_HOME: b, JAVA_HOME: a };
  assert.equal(
    find(env, "*/*").map(({ major }) => major),
    [17, 21, 25],
  );
});

test("follows the links of a java on the PATH to its home", () => {
  const home = jdk("jvm/real", "17.0.1");
  mkdirSync(join(folder, "bin"));
  symlinkSync(join(home, "bin/java"), join(folder, "alternative"));
  symlinkSync(join(folder, "alternative"), join(folder, "bin/java"));
  assert.equal(find({ PATH: `/nowhere:${join(folder, "bin")}` }), [{ home: "jvm/real", major: 17 }]);
});

test("asks a launcher script for Java's home", () => {
  const home = jdk("jvm/real", "21.0.1");
  executable(join(folder, "shims/java"), `echo '    java.home = ${home}' >&2`);
  assert.equal(find({ PATH: join(folder, "shims") }), [{ home: "jvm/real", major: 21 }]);
});

test("finds homes beside a named one, and in the usual places", () => {
  jdk("jvm/other", "25.0.1");
  jdk("usual/x", "21.0.1");
  assert.equal(find({ JAVA_HOME: jdk("jvm/named", "11.0.2") }, "usual/*"), [
    { home: "jvm/named", major: 11 },
    { home: "jvm/other", major: 25 },
    { home: "usual/x", major: 21 },
  ]);
});

test("asks a Java without a release file for its version", () => {
  assert.equal(find({ JAVA_HOME: jdk("a/j", "17.0.9", { release: false }) }), [{ home: "a/j", major: 17 }]);
});

test("skips a JAVA_HOME that is empty, is not Java or does not start", () => {
  executable(join(folder, "broken/j/bin/java"), "exit 1");
  mkdirSync(join(folder, "hollow"));
  const env = { JAVA_HOME: "", JAVA_HOME_17: join(folder, "hollow"), JAVA_HOME_21: join(folder, "broken/j") };
  assert.equal(find(env), []);
});

test.run();
