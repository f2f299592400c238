/** How a server ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** What the supervisor tells the program that started it. */
export type SupervisorMessage =
  | { type: "started"; pid: number }
  | { type: "failed"; message: string }
  | ({ type: "ended" } & Exit);
