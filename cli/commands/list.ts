import * as v from "valibot";
import { readInventory } from "../../lib/personalize-manager/inventory.ts";
import { type Context, defineCommand } from "../command.ts";
import { managedInState } from "../deploy/managed.ts";
import { openSession } from "../deploy/session.ts";
import { type ListedResource, listed } from "../recommendation/listed.ts";
import { table } from "../recommendation/table.ts";
import { LOCAL_HELP, openTarget, reading } from "../recommendation/target.ts";

/** `relevance list`: every resource of the project with its ARN, from Terraform's state and from Personalize. */
export const list = defineCommand({
  example: "relevance list --json",
  json: true,
  define: (command) => {
    command.option("--local", LOCAL_HELP);
  },
  options: { local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json }, context) => {
    const { terminal } = context;
    const session = local ? undefined : openSession(conf, context);
    const managed = session ? await managedInState(session) : [];
    const personalize = !session || session.config.recommendation ? await inPersonalize(conf, local, context) : [];
    if (json) {
      terminal.printJson({ terraform: managed, personalize });
      return 0;
    }
    if (managed.length > 0) {
      const rows = managed.map(({ stack, address, arn, id }) => [stack, address, arn ?? id ?? ""]);
      terminal.print(`${table(["Stack", "Resource", "ARN or id"], rows)}${personalize.length > 0 ? "\n" : ""}`);
    }
    if (personalize.length > 0) {
      const rows = personalize.map(({ kind, name, status, arn }) => [kind, name, status, arn]);
      terminal.print(table(["Kind", "Name", "Status", "ARN"], rows));
    }
    if (managed.length + personalize.length === 0) terminal.print(nothing(local));
    return 0;
  },
});

async function inPersonalize(conf: string, local: boolean, context: Context): Promise<ListedResource[]> {
  const { personalize, names } = await openTarget({ conf, local }, context);
  return listed(await reading("personalize:Describe*", readInventory(personalize, names)));
}

function nothing(local: boolean): string {
  return `There is nothing of this project in ${local ? "Personalize" : "Terraform's state or in Personalize"}.`;
}
