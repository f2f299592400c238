import * as assert from "uvu/assert";
import { OPENSEARCH_VERSIONS } from "../../local/opensearch/versions.ts";
import { suite } from "../suite.ts";
import { wantedVersions } from "./opensearch-versions.ts";

const test = suite("versions of OpenSearch in a test run");

const java = (...majors: number[]) => majors.map((major) => ({ home: `/java-${major}`, major }));

test("are all of them if every version is wanted", () => {
  assert.equal(wantedVersions(undefined, true, java(17, 25)), OPENSEARCH_VERSIONS);
});

test("are otherwise the one that fits the machine's Java", () => {
  assert.equal(wantedVersions(undefined, false, java(17, 25)), ["2.19.6"]);
  assert.equal(wantedVersions(undefined, false, java(25)), ["3.6.0"]);
  assert.throws(() => wantedVersions(undefined, false, []), /no Java was found/);
});

test("are only the one that OPENSEARCH_VERSION names", () => {
  assert.equal(wantedVersions("3.6.0", true, java(17)), ["3.6.0"]);
  assert.throws(() => wantedVersions("2.11.0", true, java(17)), /2\.11\.0/);
});

test.run();
