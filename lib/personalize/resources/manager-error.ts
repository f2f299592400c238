/** A request that the manager cannot fulfil. `terraform apply` shows its message: what is wrong and what to do. */
export class ManagerError extends Error {
  override name = "ManagerError";
}

/** A change that is still in progress when the invocation ends. Repeating the call resumes the wait. */
export class StillInProgress extends Error {
  override name = "StillInProgress";

  /** `status` is Personalize's; the message starts with "<what> is still <status>". */
  constructor(what: string, status: string) {
    super(`${what} is still ${status}: apply again; it resumes where it stopped`);
  }
}
