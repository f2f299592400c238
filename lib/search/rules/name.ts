/** The name of the document that holds the rules in use. */
export const RULES = "rules";
