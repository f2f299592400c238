/** Attributes of the resources of a synthesized stack, by type and id. */
export type StackResources = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
