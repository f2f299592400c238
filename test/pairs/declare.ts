import * as assert from "uvu/assert";
import { clusters } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";
import { startModels } from "./models.ts";
import { coverageOf, problemsOf, rowsOf, type Slice } from "./report.ts";
import { playSearches } from "./search/campaign.ts";
import { searchConstraints } from "./search/constraints.ts";
import { searchDimensions } from "./search/dimensions.ts";
import { playWrites } from "./writes/campaign.ts";
import { WRITE_CONSTRAINTS, writeDimensions } from "./writes/dimensions.ts";

/** Declares and runs the tests of a slice of the pairs, on each version of OpenSearch. */
export async function testPairs(name: string, slice: { search: Slice; write: Slice }): Promise<void> {
  const test = suite(name);
  const models = await startModels();
  for (const cluster of await clusters()) {
    const { version } = cluster;
    test(`${version}: searches are answered as the cluster itself answers`, async () => {
      const rows = rowsOf("search", searchDimensions(version), searchConstraints(version), slice.search);
      const results = await playSearches({ cluster, models, rows });
      assert.is(results.length, rows.length);
      const problems = problemsOf("search", version, results);
      assert.is(problems.length, 0, `of ${coverageOf(rows)}:\n${problems.join("\n")}`);
      // Cases that both sides refuse prove little: a combination that is always refused is a constraint.
      const answered = results.filter(({ isAnswered }) => isAnswered).length;
      assert.ok(answered * 10 >= rows.length * 8, `${answered} of ${rows.length} were answered`);
    });

    test(`${version}: writes store what a person would store`, async () => {
      const rows = rowsOf("write", writeDimensions(version), WRITE_CONSTRAINTS, slice.write);
      const results = await playWrites({ cluster, models, rows });
      assert.is(results.length, rows.length);
      const problems = problemsOf("write", version, results);
      assert.is(problems.length, 0, `of ${coverageOf(rows)}:\n${problems.join("\n")}`);
    });
  }
  test.after(() => models.stop());
  test.run();
}
