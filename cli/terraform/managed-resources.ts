import * as v from "valibot";

/** A resource that Terraform manages. */
export interface ManagedResource {
  stack: string;
  /** Such as `aws_lambda_function.api-router`. */
  address: string;
  /** Undefined if the resource has none. */
  arn: string | undefined;
  /** The provider's id. */
  id: string | undefined;
}

/** The output of `terraform state pull`, as far as it is used. */
export const State = v.object({
  resources: v.optional(
    v.array(
      v.object({
        mode: v.string(),
        type: v.string(),
        name: v.string(),
        instances: v.array(
          v.object({
            index_key: v.optional(v.union([v.string(), v.number()])),
            attributes: v.optional(v.record(v.string(), v.unknown()), {}),
            /** Set on an instance that is already replaced. */
            deposed: v.optional(v.string()),
          }),
        ),
      }),
    ),
    [],
  ),
});

/** Returns the managed resources in the output of `terraform state pull`, sorted by address. */
export function managedResources(stack: string, state: unknown): ManagedResource[] {
  if (state === undefined) return [];
  const { resources } = v.parse(State, state);
  const found = resources
    .filter(({ mode }) => mode === "managed")
    .flatMap(({ type, name, instances }) =>
      instances.map(({ index_key, attributes }) => ({
        stack,
        address: `${type}.${name}${index_key === undefined ? "" : `[${JSON.stringify(index_key)}]`}`,
        arn: textOf(attributes.arn),
        id: textOf(attributes.id),
      })),
    );
  return found.sort((a, b) => (a.address < b.address ? -1 : 1));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
