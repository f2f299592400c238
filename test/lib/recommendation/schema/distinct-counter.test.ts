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

for (const texts of [100_000, 1_000_000]) {
  test(`is within 2 % at ${texts}`, () => {
    const { count, exact } = counted(texts);
    assert.not(exact);
    assert.ok(Math.abs(count - texts) < texts * 0.02, `${count}`);
  });
}

test("does not grow beyond its capacity", () => {
  const before = process.memoryUsage().heapUsed;
  const counter = counted(1_500_000);
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(counter.count > 0 && grown < 60e6, `${grown} bytes`);
});

test.run();
