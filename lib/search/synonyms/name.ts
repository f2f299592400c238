/** The name of the document that holds the synonyms in use. */
export const SYNONYMS = "synonyms";
