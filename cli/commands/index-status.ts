import * as v from "valibot";
import { readRejects } from "../../lib/search/index/rebuild/rejects.ts";
import { listRecords, type RunRecord, readRecord, runIndex } from "../../lib/search/index/rebuild/run-record.ts";
import { defineCommand } from "../command.ts";
import { confOf, defineGatewayOptions, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { progressText, reported, runCalls, tallyText } from "../gateway/index-runs.ts";
import { shownTime, table } from "../recommendation/table.ts";

/** The most rejected documents that are shown; `--json` prints all. */
const SHOWN = 20;

/** `relevance index status`: shows the runs, or one with its rejected documents. */
export const indexStatus = defineCommand({
  example: "relevance index status --run 20261123-091500-a1b2",
  json: true,
  define: (command) => {
    command.option("--run <run>", "one run (default: all)");
    defineGatewayOptions(command);
  },
  options: { ...gatewayOptions, run: v.optional(v.pipe(v.string(), v.nonEmpty("needs the id of a run"))) },
  run: async ({ json, run, ...options }, context) => {
    const { terminal } = context;
    const calls = runCalls(await openGateway({ ...options, conf: confOf(options) }, context));
    if (run === undefined) {
      const records = await reported(() => listRecords(calls));
      if (json) terminal.printJson(records);
      else terminal.print(records.length === 0 ? "There are no runs." : table(HEADER, records.map(rowOf)));
      return 0;
    }
    const { record } = await reported(() => readRecord(calls, run));
    const rejects = await reported(() => readRejects(calls, runIndex(run)));
    if (json) terminal.printJson({ ...record, rejects });
    else {
      terminal.print(table(HEADER, [rowOf(record)]));
      terminal.print(record.phase === "copy" ? progressText(record) : tallyText(record));
      if (record.message !== undefined) terminal.print(record.message);
      for (const { id, reason } of rejects.slice(0, SHOWN)) terminal.print(`rejected: ${id}  ${reason}`);
      if (rejects.length > SHOWN) terminal.print(`and ${rejects.length - SHOWN} more`);
    }
    return 0;
  },
});

const HEADER = ["run", "alias", "old index", "new index", "phase", "began", "last change"];

function rowOf({ id, name, source, target, phase, started_at, updated_at }: RunRecord): string[] {
  return [id, name, source, target, phase.replace("_", " "), shownTime(started_at), shownTime(updated_at)];
}
