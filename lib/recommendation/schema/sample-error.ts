/** Reports that no schema can be inferred from a sample file. The message has one line for each problem. */
export class SampleError extends Error {
  override name = "SampleError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}
