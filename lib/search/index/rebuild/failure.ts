/** A failure after which a run cannot continue. The message is shown to the user. */
export class RunFailure extends Error {
  override name = "RunFailure";
}

/** Thrown when another process has taken over or cancelled the run. Nothing was written after that. */
export class TakenOver extends RunFailure {
  override name = "TakenOver";
}

/** Thrown when the caller's signal asks the run to stop. The run can be resumed. */
export class Stopped extends RunFailure {
  override name = "Stopped";
}
