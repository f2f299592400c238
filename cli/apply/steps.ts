import type { StackName } from "../../lib/core/naming/names.ts";

/** A step of `deploy`, and the stacks that it applies. */
export interface Step {
  title: string;
  stacks: readonly StackName[];
}

/** The steps of the specification, in their order. */
export const STEPS: readonly Step[] = [
  { title: "synchronize configuration files", stacks: ["storage"] },
  { title: "initialize personalization resources", stacks: ["personalization"] },
  { title: "synchronize filters", stacks: ["filters"] },
  { title: "deploy infrastructure", stacks: ["foundation"] },
  { title: "deploy API services", stacks: ["recommendation", "search-gateway"] },
];
