/** What each grade means. */
export const GRADES = ["not relevant", "related", "relevant", "exactly this"] as const;
