import * as assert from "uvu/assert";
import { startSiege } from "../fixtures/attacks/siege.ts";
import { attackTable } from "../fixtures/attacks/table.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("attacks while others use the services");

const [cluster] = await clusters();
assert.ok(cluster);
const siege = await startSiege(cluster);

for (const attack of attackTable(siege.index, siege.ordinary)) {
  test(`${attack.service}: ${attack.group}: ${attack.what}, ${attack.path.slice(0, 60)}: ${attack.status}`, async () => {
    const { status, waits, failures } = await siege.attack(attack);
    assert.is(status, attack.status);
    assert.equal(failures, [], "requests of others");
    assert.ok(waits.length >= 4, "others asked meanwhile and afterwards");
  });
}

test.after(() => siege.stop());
test.run();
