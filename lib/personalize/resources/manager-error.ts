/** What the manager cannot do as it was asked. The message is what `terraform apply` shows: what is wrong, what to do. */
export class ManagerError extends Error {
  override name = "ManagerError";
}

/** A wait that outlived the invocation. The same call again joins what goes on. */
export class StillGoingOn extends Error {
  override name = "StillGoingOn";

  /** `status` as Personalize has it: the message is "<what> is still <status>". */
  constructor(what: string, status: string) {
    super(`${what} is still ${status}: apply again, it goes on from there`);
  }
}
