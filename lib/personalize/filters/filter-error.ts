/**
 * A filter that Personalize would refuse, or that cannot be applied to a request. `position` is the offset in the
 * expression (0 is its first character) where the expression itself is wrong; without one the values are.
 */
export class FilterError extends Error {
  override name = "FilterError";
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(position === undefined ? message : `${message} (at position ${position + 1})`);
    this.position = position;
  }
}
