import { lostByRollback, rollBack } from "../../lib/search/index/rebuild/finish.ts";
import { defineCommand } from "../command.ts";
import { confirm } from "../confirm.ts";
import { EMBEDDING, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { followRun, reported, runCalls, standing, tallyText } from "../gateway/index-runs.ts";
import { filled, flag, option, yes } from "../options.ts";

/** `relevance index switch`: puts the new index of a run in place, or the old one back. */
export const command = defineCommand({
  example: ["relevance index switch --run books-20261123-091500-a1b2", "relevance index switch --run … --back"].join(
    "\n  ",
  ),
  options: {
    run: option("--run <run>", "the run", filled("needs the id of a run")),
    back: flag("--back", "switch back to the old index, without the writes since the switch"),
    ...yes("do not ask"),
    ...gatewayOptions,
  },
  run: async ({ run: id, back, yes, ...options }, context) => {
    const { terminal } = context;
    const gateway = await openGateway(options, context, EMBEDDING);
    if (!back) {
      const record = await followRun(gateway, { id, thenSwitch: true }, context);
      terminal.print(tallyText(record));
      terminal.print(`${record.name} now points to ${await standing(runCalls(gateway, context), record.name)}.`);
      return 0;
    }
    const calls = runCalls(gateway, context);
    const lost = await reported(() => lostByRollback(calls, id));
    await confirm(terminal, { text: `The old index lacks ${lost} writes since the switch. Switch back to it?`, yes });
    const record = await reported(() => rollBack(calls, id));
    terminal.print(`${record.name} points to ${record.source} again. ${record.target} stays, but rejects writes.`);
  },
});
