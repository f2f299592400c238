import * as assert from "uvu/assert";
import { clusters } from "../fixtures/opensearch.ts";
import { startModels } from "../pairs/models.ts";
import { playSearches, searchRows } from "../pairs/search/campaign.ts";
import { suite } from "../suite.ts";

const test = suite("pairs of features");
const models = await startModels();
const N = Number(process.env.PAIRS_N ?? 24);
const SEED = Number(process.env.PAIRS_SEED ?? 1);

for (const cluster of await clusters()) {
  test(`${cluster.version}: searches are answered as by the cluster itself`, async () => {
    const start = performance.now();
    const results = await playSearches({
      cluster,
      models,
      rows: searchRows(cluster.version, { seed: SEED, pairs: N }),
    });
    console.log(
      `${results.length} cases, ${results.filter(({ isAnswered }) => isAnswered).length} answered, ${((performance.now() - start) / 1000).toFixed(1)} s`,
    );
    for (const { name, findings } of results) {
      for (const { what, expected, got } of findings) {
        console.log(
          `PAIRS_CASE='${name}'\n  ${what}\n   expected ${JSON.stringify(expected)?.slice(0, 700)}\n   got      ${JSON.stringify(got)?.slice(0, 700)}`,
        );
      }
    }
    assert.is(results.filter(({ findings }) => findings.length > 0).length, 0);
  });
}

test.after(() => models.stop());
test.run();
