import { LocalError, MissingTool } from "@relevance/processes/error.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { chooseVersion, jdkFor, opensearchVersion } from "../../opensearch/versions.ts";

const test = suite("OpenSearch version and Java");

const java = (...majors: number[]) => majors.map((major) => ({ major, home: `/jvm/${major}` }));

function refusal(call: () => unknown): LocalError {
  try {
    call();
  } catch (error) {
    assert.instance(error, LocalError);
    return error as LocalError;
  }
  return assert.unreachable("it was not refused") as never;
}

for (const [majors, version, used] of [
  [[17], "2.19.6", 17],
  [[21], "2.19.6", 21],
  [[25, 17], "2.19.6", 17],
  [[22], "3.6.0", 22],
  [[11, 25], "3.6.0", 25],
] as const) {
  test(`chooses ${version} on Java ${used} if Java ${majors.join(" and ")} is installed`, () => {
    const chosen = chooseVersion(java(...majors));
    assert.is(chosen.version, version);
    assert.is(chosen.jdk.major, used);
  });
}

for (const [version, majors, used] of [
  ["2.19.6", [25, 21, 17], 21],
  ["3.6.0", [17, 21, 25], 21],
  ["3.6.0", [25, 21], 25],
] as const) {
  test(`runs ${version} on the first suitable of Java ${majors.join(", ")}`, () => {
    assert.is(jdkFor(version, java(...majors)).major, used);
  });
}

test("says what was found and what is needed when no version can run", () => {
  const error = refusal(() => chooseVersion(java(8, 11)));
  assert.instance(error, MissingTool);
  assert.is(
    error.message,
    "OpenSearch needs Java: a JDK 17 to 21 for OpenSearch 2.19.6, or a JDK 21 or newer for OpenSearch 3.6.0; " +
      "found Java 8 in /jvm/8, Java 11 in /jvm/11. Install one, or set JAVA_HOME to the folder of one",
  );
});

test("says that there is no Java at all", () => {
  assert.match(refusal(() => chooseVersion([])).message, "; no Java was found. Install one");
});

for (const [version, major] of [
  ["2.19.6", 16],
  ["2.19.6", 22],
  ["3.6.0", 20],
] as const) {
  test(`refuses ${version} on Java ${major}`, () => {
    const error = refusal(() => jdkFor(version, java(major)));
    assert.instance(error, MissingTool);
    assert.match(error.message, `OpenSearch ${version} needs a JDK`);
    assert.match(error.message, `found Java ${major} in /jvm/${major}`);
  });
}

test("accepts known versions by name and lists them for any other", () => {
  assert.is(opensearchVersion("3.6.0"), "3.6.0");
  assert.is(
    refusal(() => opensearchVersion("3.1.0")).message,
    'OpenSearch "3.1.0" cannot be installed: use 2.19.6 or 3.6.0',
  );
});

test.run();
