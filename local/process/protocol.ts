/** How a server exited. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A message from the supervisor to the program that started it. */
export type SupervisorMessage =
  | { type: "started"; pid: number }
  | { type: "failed"; message: string }
  | ({ type: "ended" } & Exit);
