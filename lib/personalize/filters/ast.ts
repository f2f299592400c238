/** A column in a condition. `CurrentUser` is the user's row in Users, `CurrentItem` the row of the requested item. */
export interface FieldReference {
  dataset: "Items" | "Interactions" | "CurrentUser" | "CurrentItem";
  field: string;
  position: number;
}

/** The value to compare a field with: a constant, a `$NAME` that the request fills, or a column of the current item. */
export type Operand =
  | { kind: "text"; value: string; position: number }
  | { kind: "number"; value: number; position: number }
  | { kind: "placeholder"; name: string; position: number }
  | { kind: "field"; field: FieldReference; position: number };

export type Comparison = "=" | "!=" | "<" | "<=" | ">" | ">=";
export type Membership = "IN" | "NOT IN";

/** A test of one column. A comparison has exactly one operand. */
export interface Condition {
  kind: "condition";
  field: FieldReference;
  operator: Comparison | Membership;
  operands: readonly Operand[];
  position: number;
}

/** Conditions joined by AND and OR; AND binds tighter, as in SQL. */
export type Predicate = Condition | { kind: "and" | "or"; parts: readonly Predicate[] };

/** One expression of a filter: `INCLUDE ItemID WHERE … IF …`. A filter joins its expressions with `|`. */
export interface Clause {
  verb: "INCLUDE" | "EXCLUDE";
  where: Predicate;
  /** The clause applies only if all of these hold; empty without IF. */
  onlyIf: readonly Condition[];
  position: number;
}

/** A parsed filter expression. */
export interface Filter {
  clauses: readonly Clause[];
}

/** Returns the conditions of a predicate, in the order they were written. */
export function conditionsOf(predicate: Predicate): readonly Condition[] {
  return predicate.kind === "condition" ? [predicate] : predicate.parts.flatMap(conditionsOf);
}

/** Yields every condition of a filter with its clause. Within a clause, the conditions after IF come last. */
export function* everyCondition(filter: Filter): Generator<{ clause: Clause; condition: Condition; inIf: boolean }> {
  for (const clause of filter.clauses) {
    for (const condition of conditionsOf(clause.where)) yield { clause, condition, inIf: false };
    for (const condition of clause.onlyIf) yield { clause, condition, inIf: true };
  }
}
