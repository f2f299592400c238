/**
 * A filter that Personalize would reject, or that cannot be applied to a request. `position` is the offset of the error
 * in the expression, from 0; undefined if the error is not at one place, such as in the request's values.
 */
export class FilterError extends Error {
  override name = "FilterError";
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(position === undefined ? message : `${message} (at position ${position + 1})`);
    this.position = position;
  }
}
