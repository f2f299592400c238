import * as v from "valibot";
import { readInventory } from "../../lib/personalize-manager/inventory.ts";
import { defineCommand } from "../command.ts";
import { listed } from "../recommendation/listed.ts";
import { table } from "../recommendation/table.ts";
import { LOCAL_HELP, openTarget, reading } from "../recommendation/target.ts";

/** `relevance list`: every resource of the project in Personalize, with its ARN. */
export const list = defineCommand({
  example: "relevance list --json",
  json: true,
  define: (command) => {
    command.option("--local", LOCAL_HELP);
  },
  options: { local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json }, context) => {
    const { personalize, names } = await openTarget({ conf, local }, context);
    const inventory = await reading("personalize:Describe*", readInventory(personalize, names));
    const resources = listed(inventory);
    const { terminal } = context;
    if (json) terminal.printJson({ personalize: resources });
    else if (resources.length === 0) terminal.print("There is nothing of this project in Personalize.");
    else {
      const rows = resources.map(({ kind, name, status, arn }) => [kind, name, status, arn]);
      terminal.print(table(["Kind", "Name", "Status", "ARN"], rows));
    }
    return 0;
  },
});
