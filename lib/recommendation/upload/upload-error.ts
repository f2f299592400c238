/** The reason why an upload stopped. The message says what happened and what to do. */
export class UploadError extends Error {
  override name = "UploadError";
  /** Whether the input (address, key or files) is wrong, as opposed to a failure of the service. */
  readonly wrongInput: boolean;

  constructor(message: string, wrongInput: boolean, options?: ErrorOptions) {
    super(message, options);
    this.wrongInput = wrongInput;
  }
}
