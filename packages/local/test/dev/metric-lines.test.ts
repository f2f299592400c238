import { metricLine } from "@relevance/lib/platform/telemetry/emf.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { hideMetricLines } from "../../dev/metric-lines.ts";

const test = suite("metric lines on the terminal");

/** Returns what reaches standard output while `work` runs with metric lines hidden. */
function printed(work: () => void): string {
  const { write } = process.stdout;
  let text = "";
  process.stdout.write = ((chunk: string | Uint8Array) => {
    text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  }) as typeof write;
  const replaced = process.stdout.write;
  const undo = hideMetricLines();
  try {
    work();
  } finally {
    undo();
    assert.is(process.stdout.write, replaced, "shown again");
    process.stdout.write = write;
  }
  return text;
}

const line = metricLine({ Project: "demo" }, [{ name: "AcceptedRecords", unit: "Count", value: 1 }]);

test("are hidden until undone, and nothing else is", () => {
  const text = printed(() => {
    process.stdout.write("before\n");
    process.stdout.write(`${line}\n`);
    process.stdout.write(`one\n${line}\ntwo\n`);
    process.stdout.write(Buffer.from("bytes\n"));
  });
  assert.is(text.replaceAll(/\n+/g, "\n"), "before\none\ntwo\nbytes\n");
});

test.run();
