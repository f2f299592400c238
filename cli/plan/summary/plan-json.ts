/** What `terraform show -json` gives of a saved plan; the parts that are read here. */
export interface PlanJson {
  resource_changes?: readonly ResourceChange[];
  output_changes?: Readonly<Record<string, Pick<Change, "actions">>>;
  planned_values?: { root_module?: { resources?: readonly PlannedResource[] } };
}

/** One resource of a plan, changed or not. */
export interface ResourceChange {
  address: string;
  mode: "managed" | "data";
  type: string;
  name: string;
  /** Why, as in `replace_because_tainted`. */
  action_reason?: string;
  change: Change;
}

/** What happens to it. */
export interface Change {
  /** As in `["delete", "create"]`. */
  actions: readonly string[];
  before: unknown;
  after: unknown;
  /** True, or a structure with true where a value is known after the apply alone. */
  after_unknown?: unknown;
  /** The same for values that must not be shown. */
  before_sensitive?: unknown;
  after_sensitive?: unknown;
  /** Attributes that force the replacement. */
  replace_paths?: readonly (readonly (string | number)[])[];
  importing?: { id?: string };
}

/** A resource as it is after the apply. */
export interface PlannedResource {
  address: string;
  mode: "managed" | "data";
  type: string;
  name: string;
  values: Readonly<Record<string, unknown>>;
}

/** What happens to a resource. `forget` keeps it but removes it from Terraform's state; `import` adopts an existing one. */
export type Action = "create" | "update" | "replace" | "delete" | "forget" | "import";
