import type { StackName } from "../../lib/core/naming/names.ts";

/** A step of `deploy`, and the stacks that it applies. */
export interface Step {
  title: string;
  stacks: readonly StackName[];
}

/** The steps of a deployment, in order: each needs the ones before it. */
export const STEPS: readonly Step[] = [
  { title: "synchronize configuration files", stacks: ["storage"] },
  { title: "initialize personalization resources", stacks: ["personalization"] },
  { title: "synchronize filters", stacks: ["filters"] },
  { title: "deploy infrastructure", stacks: ["foundation"] },
  { title: "deploy API services", stacks: ["recommendation", "search-gateway"] },
];
