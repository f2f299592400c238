import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { explained, openPlacements, placementChanges, placementsOf } from "../recommendation/placements.ts";
import { LOCAL_HELP, openTarget } from "../recommendation/target.ts";
import { shownTime } from "../terminal.ts";

/** Versions that are listed. */
const LISTED = 20;

/** `relevance placements versions`: lists the last versions, newest first, which is the one in use. */
export const command = defineCommand({
  example: "relevance placements versions",
  json: true,
  define: (command) => {
    command.option("--local", LOCAL_HELP);
  },
  options: { local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json }, context) => {
    const { sdk, names } = await openTarget({ conf, local }, context);
    const { terminal } = context;
    const document = await openPlacements(sdk, names);
    const numbers = await explained(document.numbers());
    // One more, which the last of them is compared with.
    const read = await explained(Promise.all(numbers.slice(0, LISTED + 1).map(document.read)));
    const versions = read.slice(0, LISTED).flatMap((version, index) => {
      if (!version) return [];
      const changes = placementChanges(placementsOf(read[index + 1]), placementsOf(version));
      const { content: _, ...about } = version;
      return [{ ...about, changes }];
    });
    if (json) terminal.printJson(versions);
    else if (versions.length === 0)
      terminal.print("There are no versions: `relevance placements apply` writes the first");
    else {
      for (const { version, written_at, written_by, reverts_to, changes } of versions) {
        const end = reverts_to === undefined ? "" : `  brings back version ${reverts_to}`;
        terminal.print(`${version}  ${shownTime(written_at)}  ${written_by}${end}`);
        for (const change of changes) terminal.print(`   ${change}`);
      }
      if (numbers.length > LISTED) terminal.note(`${numbers.length - LISTED} earlier versions are not listed.`);
    }
    return 0;
  },
});
