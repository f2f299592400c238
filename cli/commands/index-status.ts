import * as v from "valibot";
import { table } from "../../lib/platform/table.ts";
import { type Rejected, readRejects } from "../../lib/search/index/rebuild/rejects.ts";
import { type AnyRecord, listRecords, readAnyRecord } from "../../lib/search/index/rebuild/run-record.ts";
import { runIndex } from "../../lib/search/index-meta/run-names.ts";
import { defineCommand } from "../command.ts";
import { ADMINISTRATION, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import {
  backfillProgress,
  importProgress,
  importTally,
  progressText,
  reported,
  runCalls,
  tallyText,
} from "../gateway/index-runs.ts";
import { filled, option } from "../options.ts";
import { shownTime } from "../terminal.ts";

/** The most rejected documents that are shown; `--json` prints all. */
const SHOWN = 20;

/** `relevance index status`: shows all runs, or one of them with its rejected documents. */
export const command = defineCommand({
  example: "relevance index status --run books-20261123-091500-a1b2",
  json: true,
  options: {
    run: option("--run <run>", "one run (default: all)", v.optional(filled("needs the id of a run"))),
    ...gatewayOptions,
  },
  run: async ({ json, run, ...options }, context) => {
    const { terminal } = context;
    const calls = runCalls(await openGateway(options, context, ADMINISTRATION), context);
    if (run === undefined) {
      const records = await reported(() => listRecords(calls));
      if (json) terminal.printJson(records);
      else terminal.print(records.length === 0 ? "There are no runs." : table(HEADER, records.map(rowOf)));
      return 0;
    }
    const { record } = await reported(() => readAnyRecord(calls, run));
    const rejects = await reported(() => readRejects<Rejected>(calls, runIndex(run)));
    if (json) terminal.printJson({ ...record, rejects });
    else {
      terminal.print(table(HEADER, [rowOf(record)]));
      terminal.print(textOf(record));
      if (record.message !== undefined) terminal.print(record.message);
      for (const reject of rejects.slice(0, SHOWN)) terminal.print(rejectText(reject));
      if (rejects.length > SHOWN) terminal.print(`and ${rejects.length - SHOWN} more`);
    }
  },
});

const HEADER = ["run", "kind", "index", "from", "to", "phase", "began", "last change"];

function rowOf(record: AnyRecord): string[] {
  const { id, kind, name, phase, started_at, updated_at } = record;
  const [from, to] =
    kind === "rebuild" ? [record.source, record.target] : kind === "import" ? [record.from, name] : [record.source, ""];
  return [id, kind, name, from, to, phase.replace("_", " "), shownTime(started_at), shownTime(updated_at)];
}

function textOf(record: AnyRecord): string {
  const { kind, phase } = record;
  if (kind === "rebuild") return phase === "copy" ? progressText(record) : tallyText(record);
  if (phase !== "copy") return importTally(record);
  return kind === "import" ? importProgress(record) : backfillProgress(record);
}

const rejectText = ({ id, reason, file, at }: Rejected): string =>
  `rejected: ${[id, file === undefined ? "" : `${file} byte ${at}`, reason].filter(Boolean).join("  ")}`;
