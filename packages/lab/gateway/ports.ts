import type { Gateway } from "./gateway.ts";

/** Ports that the searching use cases need from their caller. */
export interface SearchPorts {
  gateway: Gateway;
  /** Says how far it is, or what is doubtful, in a line. */
  note(line: string): void;
}
