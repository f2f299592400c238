import * as v from "valibot";

/** The output of `terraform show -json` for a saved plan, as far as it is used here. */
export interface PlanJson {
  resource_changes?: readonly ResourceChange[];
  output_changes?: Readonly<Record<string, Pick<Change, "actions">>>;
  planned_values?: Values;
  prior_state?: { values?: Values };
}

interface Values {
  root_module?: { resources?: readonly PlannedResource[] };
}

/** Before all plans are applied, or after. */
export type Time = "before" | "after";

/** Returns the resources of stacks. */
export const resourcesOf = (plans: readonly PlanJson[], time: Time): PlannedResource[] =>
  plans
    .flatMap(({ planned_values, prior_state }) => (time === "after" ? planned_values : prior_state?.values) ?? [])
    .flatMap(({ root_module }) => root_module?.resources ?? [])
    .filter(({ mode }) => mode === "managed");

/** One resource of a plan, changed or not. */
export interface ResourceChange {
  address: string;
  mode: "managed" | "data";
  type: string;
  name: string;
  /** The reason, such as `replace_because_tainted`. */
  action_reason?: string;
  change: Change;
}

/** A change of a resource. */
export interface Change {
  /** Such as `["delete", "create"]`. */
  actions: readonly string[];
  before: unknown;
  after: unknown;
  /** True, or a structure with true for each value that is known only after the apply. */
  after_unknown?: unknown;
  /** The same for sensitive values. */
  before_sensitive?: unknown;
  after_sensitive?: unknown;
  /** Attributes that force the replacement. */
  replace_paths?: readonly (readonly (string | number)[])[];
  importing?: { id?: string };
}

/** A resource after the apply. */
export interface PlannedResource {
  address: string;
  mode: "managed" | "data";
  type: string;
  name: string;
  values: Readonly<Record<string, unknown>>;
}

/**
 * What happens to a resource. `forget` keeps it but removes it from Terraform's state; `import` adopts an existing one.
 */
export type Action = "create" | "update" | "replace" | "delete" | "forget" | "import";

const Input = v.object({
  kind: v.string(),
  name: v.optional(v.string(), ""),
  min_provisioned_tps: v.optional(v.number()),
});

/** The input of personalize-manager, as far as plans need it. */
type PersonalizeInput = v.InferOutput<typeof Input>;

const InputText = v.object({ input: v.pipe(v.string(), v.parseJson(), Input) });

/** Returns the Personalize resource that an `aws_lambda_invocation` stands for; undefined for any other invocation. */
export function personalizeInput(values: unknown): PersonalizeInput | undefined {
  const parsed = v.safeParse(InputText, values);
  return parsed.success ? parsed.output.input : undefined;
}
