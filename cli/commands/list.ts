import { type Inventory, readInventory } from "../../lib/personalize/resources/inventory.ts";
import { table } from "../../lib/platform/table.ts";
import { type Context, defineCommand } from "../command.ts";
import { local } from "../options.ts";
import { openSession, type Project, withTerraform } from "../project.ts";
import { openPersonalize, openTarget, reading } from "../recommendation/target.ts";
import { SERVICES } from "../services.ts";
import { type ManagedResource, managedInState } from "../state/stacks.ts";

/** `relevance list`: lists the project's resources in Terraform's state and in Personalize, with their ARNs. */
export const command = defineCommand({
  example: "relevance list --json",
  json: true,
  options: local,
  run: async ({ conf, local, json }, context) => {
    const { terminal } = context;
    const project = local ? undefined : await withTerraform(await openSession(conf, context));
    const managed = project ? await managedInState(project) : [];
    const personalize = await inPersonalize({ conf, project, managed }, context);
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
  },
});

interface Where {
  conf: string;
  /** Undefined for the local stack. */
  project: Project | undefined;
  managed: readonly ManagedResource[];
}

/** Lists Personalize if the service is configured, or still deployed after its section was removed. */
async function inPersonalize({ conf, project, managed }: Where, context: Context): Promise<ListedResource[]> {
  const { stacks } = SERVICES.recommendation;
  const deployed = managed.some(({ stack }) => stacks.some((name) => name === stack));
  if (project && !project.config.recommendation && !deployed) return [];
  const { personalize, names } = project
    ? { personalize: await openPersonalize(project.sdk), names: project.names }
    : await openTarget({ conf, local: true }, context);
  return listed(await reading("personalize:Describe*", readInventory(personalize, names)));
}

function nothing(local: boolean): string {
  return `This project has no resources in ${local ? "Personalize" : "Terraform's state or in Personalize"}.`;
}

/** A resource of the project in Personalize. */
interface ListedResource {
  kind: string;
  name: string;
  status: string;
  arn: string;
}

/** Returns all resources of an inventory. A resource comes after those that it depends on. */
function listed(inventory: Inventory): ListedResource[] {
  const { dataset_group, datasets, event_tracker, filters, solutions, campaigns } = inventory;
  const row = (kind: string) => (one: { name: string; status: string; arn: string }) => ({
    kind,
    name: one.name,
    status: one.status,
    arn: one.arn,
  });
  return [
    ...(dataset_group ? [row("dataset group")(dataset_group)] : []),
    ...datasets.map(({ schema_arn }) => ({
      kind: "schema",
      name: schema_arn.slice(schema_arn.lastIndexOf("/") + 1),
      status: "ACTIVE",
      arn: schema_arn,
    })),
    ...datasets.map(row("dataset")),
    ...(event_tracker ? [row("event tracker")(event_tracker)] : []),
    ...filters.map(row("filter")),
    ...solutions.flatMap((solution) => [
      row("solution")(solution),
      ...solution.versions.map((version) => ({
        ...row("solution version")(version),
        name: `${solution.name}/${version.name}`,
      })),
    ]),
    ...campaigns.map(row("campaign")),
  ];
}
