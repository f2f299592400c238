import * as assert from "uvu/assert";
import { DistinctCounter } from "../../../../lib/recommendation/schema/distinct-counter.ts";
import { suite } from "../../../suite.ts";

const test = suite("distinct counter");

function counted(texts: number, repeats = 1): DistinctCounter {
  const counter = new DistinctCounter();
  for (let round = 0; round < repeats; round += 1) {
    for (let text = 0; text < texts; text += 1) counter.add(`value-${text}`);
  }
  return counter;
}

test("is exact up to its capacity", () => {
  const counter = counted(65_536, 2);
  assert.equal([counter.count, counter.exact], [65_536, true]);
});

test("beyond it is within 2 %, and does not grow", () => {
  const { count, exact } = counted(100_000);
  assert.ok(!exact && Math.abs(count - 100_000) < 2_000, `${count}`);
  const before = process.memoryUsage().heapUsed;
  const counter = counted(1_500_000);
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(Math.abs(counter.count - 1_500_000) < 30_000, `${counter.count}`);
  assert.ok(grown < 60e6, `${grown} bytes`);
});

test.run();
