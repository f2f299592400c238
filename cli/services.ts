import type { Service, StackName } from "../lib/platform/naming/names.ts";
import type { Configuration } from "../lib/settings/configuration.ts";

/** Description of a service for the commands. */
interface ServiceFacts {
  /** Its own stacks, in the order of removal. */
  stacks: readonly StackName[];
  /** The command that removes it. */
  command: "destroy" | "uninstall";
  words: string;
  /** The removed resources, as named in the command's help, its confirmation and docs/guides/teardown.md. */
  removes: string;
  /** The part of project.yaml that enables it. */
  sections: string;
}

/** Both services. */
export const SERVICES: Readonly<Record<Service, ServiceFacts>> = {
  "search-gateway": {
    stacks: ["search-gateway"],
    command: "destroy",
    words: "search gateway",
    removes: "API, functions, model endpoints, host name, scaler",
    sections: "the sections vpc and opensearch",
  },
  recommendation: {
    stacks: ["recommendation", "filters", "personalization"],
    command: "uninstall",
    words: "recommendation service",
    removes:
      "API, functions, host name, tables with users and items, queue, training, all its Personalize resources with the " +
      "parameters that point to them",
    sections: "the section personalize",
  },
};

/** The names of both services. */
export const SERVICE_NAMES = Object.keys(SERVICES) as readonly Service[];

/** Returns whether the configuration enables the service. */
export function isConfigured({ searchGateway, recommendation }: Configuration, service: Service): boolean {
  return (service === "search-gateway" ? searchGateway : recommendation) !== undefined;
}

/** A step of `deploy`, and the stacks that it applies. */
interface Step {
  title: string;
  stacks: readonly StackName[];
}

/** Returns the steps of a deployment, in order: each needs the ones before it. */
export function stepsOf({ searchGateway }: Configuration): readonly Step[] {
  if (searchGateway?.vpc.functions !== "all") return STEPS;
  // As `stackNames` of stacks/input.ts.
  const isFirst = ({ stacks }: Step) => stacks.includes("storage") || stacks.includes("foundation");
  return [...STEPS.filter(isFirst), ...STEPS.filter((step) => !isFirst(step))];
}

/** The steps of a deployment without functions that need the endpoints. */
export const STEPS: readonly Step[] = [
  { title: "synchronize configuration files", stacks: ["storage"] },
  { title: "initialize personalization resources", stacks: ["personalization"] },
  { title: "synchronize filters", stacks: ["filters"] },
  { title: "deploy infrastructure", stacks: ["foundation"] },
  { title: "deploy API services", stacks: ["recommendation", "search-gateway"] },
];
