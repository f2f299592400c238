import * as assert from "uvu/assert";
import { OPENSEARCH_VERSIONS } from "../../packages/local/opensearch/versions.ts";
import { suite } from "../suite.ts";
import { wantedVersions } from "./opensearch-versions.ts";

const test = suite("versions of OpenSearch in a test run");

const java = (...majors: number[]) => majors.map((major) => ({ home: `/java-${major}`, major }));

const nothing = { words: [], all: false, serve: false };

test("are all of them with --all, --serve or words", () => {
  for (const run of [{ all: true }, { serve: true }, { words: ["hybrid"] }]) {
    assert.equal(wantedVersions(undefined, { ...nothing, ...run }, java(17, 25)), OPENSEARCH_VERSIONS);
  }
});

test("are otherwise the one that fits the machine's Java", () => {
  assert.equal(wantedVersions(undefined, nothing, java(17, 25)), ["2.19.6"]);
  assert.equal(wantedVersions(undefined, nothing, java(25)), ["3.6.0"]);
  assert.throws(() => wantedVersions(undefined, nothing, []), /no Java was found/);
});

test("are only the one that OPENSEARCH_VERSION names", () => {
  assert.equal(wantedVersions("3.6.0", { ...nothing, all: true }, java(17)), ["3.6.0"]);
  assert.throws(() => wantedVersions("2.11.0", nothing, java(17)), /2\.11\.0/);
});

test.run();
