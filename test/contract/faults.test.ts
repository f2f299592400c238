import * as assert from "uvu/assert";
import { faultCampaign } from "../fixtures/faults/campaign.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("broken connections between the gateway, the cluster and the models");

for (const cluster of await clusters()) {
  test(`${cluster.version}: every answer agrees with what is stored`, async () => {
    const report = await faultCampaign({ cluster, seed: 11, operations: 1, batch: 60 });
    assert.equal(
      report.violations.map((violation) => violation.slice(0, 300)),
      [],
    );
    // The faults occurred, and there were writes with each outcome.
    assert.ok(Object.keys(report.faults).length > 30, JSON.stringify(report.faults));
    for (const verdict of ["write applied", "write failed", "write unknown", "read answered", "read refused"]) {
      assert.ok((report.verdicts[verdict] ?? 0) > 0, verdict);
    }
  });
}

test.run();
