import type { Inventory } from "../../lib/personalize/resources/inventory.ts";

/** A resource of the project in Personalize. */
export interface ListedResource {
  kind: string;
  name: string;
  status: string;
  arn: string;
}

/** Returns all resources of an inventory. A resource comes after those that it depends on. */
export function listed(inventory: Inventory): ListedResource[] {
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
