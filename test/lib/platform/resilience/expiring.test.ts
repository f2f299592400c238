import * as assert from "uvu/assert";
import { expiring } from "../../../../lib/platform/resilience/once.ts";
import { suite } from "../../../suite.ts";

const test = suite("values that expire");

test("a value is read again when its own time is over, and after a failure", async () => {
  let time = 0;
  const answers: (string | undefined)[] = ["a", undefined, "b"];
  let reads = 0;
  const read = async (suffix: string) => {
    reads += 1;
    if (reads === 3) throw new Error("down");
    const answer = answers.shift();
    return answer && answer + suffix;
  };
  const value = expiring(
    read,
    (found) => (found === undefined ? 5 : 60),
    () => time,
  );
  const at = async (now: number) => {
    time = now;
    return value("!").catch((error: Error) => error.message);
  };
  assert.equal([await at(0), await at(59), await at(60), await at(64)], ["a!", "a!", undefined, undefined]);
  assert.equal([await at(65), await at(65), await at(100)], ["down", "b!", "b!"]);
  assert.is(reads, 4);
});

test.run();
