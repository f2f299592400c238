/** The meaning of each grade. */
export const GRADES = ["not relevant", "related", "relevant", "exactly this"] as const;
