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

test("chooses the version that the installed Java can run, the older first", () => {
  for (const [majors, version, used] of [
    [[17], "2.19.6", 17],
    [[21], "2.19.6", 21],
    [[25, 17], "2.19.6", 17],
    [[22], "3.6.0", 22],
    [[11, 25], "3.6.0", 25],
  ] as const) {
    const chosen = chooseVersion(java(...majors));
    assert.equal([chosen.version, chosen.jdk.major], [version, used], majors.join());
  }
});

test("runs a version on the first suitable Java", () => {
  assert.is(jdkFor("2.19.6", java(25, 21, 17)).major, 21);
  assert.is(jdkFor("3.6.0", java(17, 21, 25)).major, 21);
  assert.is(jdkFor("3.6.0", java(25, 21)).major, 25);
});

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

test("refuses a version on a Java that is too old or too new", () => {
  for (const [version, major] of [
    ["2.19.6", 16],
    ["2.19.6", 22],
    ["3.6.0", 20],
  ] as const) {
    const error = refusal(() => jdkFor(version, java(major)));
    assert.instance(error, MissingTool);
    assert.match(error.message, new RegExp(`OpenSearch ${version} needs a JDK.*found Java ${major} in /jvm/${major}`));
  }
});

test("accepts known versions by name and lists them for any other", () => {
  assert.is(opensearchVersion("3.6.0"), "3.6.0");
  assert.is(
    refusal(() => opensearchVersion("3.1.0")).message,
    'OpenSearch "3.1.0" cannot be installed: use 2.19.6 or 3.6.0',
  );
});

test.run();
