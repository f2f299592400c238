/** A sample file from which no schema can be made. Holds every problem that was found, one a line of the message. */
export class SampleError extends Error {
  override name = "SampleError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}
