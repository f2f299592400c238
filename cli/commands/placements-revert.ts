import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { Failure, UsageError } from "../errors.ts";
import {
  explained,
  newestVersion,
  openPlacements,
  placementsOf,
  writePlacements,
} from "../recommendation/placements.ts";
import { LOCAL_HELP, openTarget } from "../recommendation/target.ts";

/** `relevance placements revert`: writes the content of an earlier version as a new one. */
export const command = defineCommand({
  example: "relevance placements revert\n  relevance placements revert 4",
  json: true,
  define: (command) => {
    command.argument("[version]", "the version to bring back (default: the one before the newest)");
    command.option("--local", LOCAL_HELP);
  },
  options: { version: v.optional(v.string()), local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json, version: given }, context) => {
    const { sdk, names } = await openTarget({ conf, local }, context);
    const { terminal } = context;
    const document = await openPlacements(sdk, names);
    const newest = await newestVersion(document);
    if (!newest)
      throw new Failure("There is no version of the placements yet: `relevance placements apply` writes the first");
    const wanted = given === undefined ? newest.version - 1 : Number(given);
    if (given !== undefined && !/^[1-9]\d{0,7}$/.test(given))
      throw new UsageError(`"${given}" is not the number of a version`);
    const old = wanted > 0 ? await explained(document.read(wanted)) : undefined;
    if (!old)
      throw new Failure(`There is no version ${wanted} of the placements: see \`relevance placements versions\``);
    const { version, changes } = await writePlacements(document, sdk, placementsOf(old), wanted);
    if (json) {
      terminal.printJson({ version: version.version, written_by: version.written_by, reverts_to: wanted, changes });
      return 0;
    }
    for (const change of changes) terminal.print(change);
    terminal.print(
      changes.length === 0
        ? `No changes: version ${version.version} has the placements of version ${wanted}`
        : `Version ${version.version}, with the placements of version ${wanted}, is in use within a minute`,
    );
    if (changes.length > 0)
      terminal.note("recommendation.yaml still has the others: the next apply or deploy brings them back.");
    return 0;
  },
});
