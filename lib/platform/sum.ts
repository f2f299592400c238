/** Adds up numbers, or a number of each value. */
export function sum(values: readonly number[]): number;
export function sum<T>(values: readonly T[], of: (value: T) => number): number;
export function sum(values: readonly unknown[], of: (value: never) => number = Number): number {
  return values.reduce((total: number, value) => total + of(value as never), 0);
}
