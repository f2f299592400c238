/** A column that a condition names. `CurrentUser` is the row of the user in Users, `CurrentItem` the item asked about. */
export interface FieldReference {
  dataset: "Items" | "Interactions" | "CurrentUser" | "CurrentItem";
  field: string;
  position: number;
}

/** What a field is compared with: a constant, a `$NAME` filled at request time, or a column of the current item. */
export type Operand =
  | { kind: "text"; value: string; position: number }
  | { kind: "number"; value: number; position: number }
  | { kind: "placeholder"; name: string; position: number }
  | { kind: "field"; field: FieldReference; position: number };

export type Comparison = "=" | "!=" | "<" | "<=" | ">" | ">=";
export type Membership = "IN" | "NOT IN";

/** One test of one column. A comparison has exactly one operand. */
export interface Condition {
  kind: "condition";
  field: FieldReference;
  operator: Comparison | Membership;
  operands: readonly Operand[];
  position: number;
}

/** Conditions joined by AND and OR; AND binds tighter, as in SQL. */
export type Predicate = Condition | { kind: "and" | "or"; parts: readonly Predicate[] };

/** `INCLUDE ItemID WHERE … IF …`, one of those that a filter joins with `|`. */
export interface Clause {
  verb: "INCLUDE" | "EXCLUDE";
  where: Predicate;
  /** All must hold for the clause to apply; empty without IF. */
  onlyIf: readonly Condition[];
  position: number;
}

/** A filter as it was written. */
export interface Filter {
  clauses: readonly Clause[];
}

/** The conditions of a predicate, in the order they were written. */
export function conditionsOf(predicate: Predicate): readonly Condition[] {
  return predicate.kind === "condition" ? [predicate] : predicate.parts.flatMap(conditionsOf);
}

/** Every condition of a filter with the clause that it belongs to, those after IF last within a clause. */
export function* everyCondition(filter: Filter): Generator<{ clause: Clause; condition: Condition; inIf: boolean }> {
  for (const clause of filter.clauses) {
    for (const condition of conditionsOf(clause.where)) yield { clause, condition, inIf: false };
    for (const condition of clause.onlyIf) yield { clause, condition, inIf: true };
  }
}
