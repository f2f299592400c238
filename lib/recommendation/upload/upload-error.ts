/** Why an upload stopped. The message says what happened and what to do. */
export class UploadError extends Error {
  override name = "UploadError";
  /** Whether what the caller gave (address, key, files) is wrong, rather than the service in trouble. */
  readonly wrongInput: boolean;

  constructor(message: string, wrongInput: boolean, options?: ErrorOptions) {
    super(message, options);
    this.wrongInput = wrongInput;
  }
}
