import type { Gateway } from "./gateway.ts";

/** What the use cases that search need of whoever runs them. */
export interface SearchPorts {
  gateway: Gateway;
  /** Says how far it is, or what is doubtful, in a line. */
  note(line: string): void;
}
