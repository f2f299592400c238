/** Converts a field's name for PutEvents, PutUsers and PutItems: NUM_RATINGS to numRatings, TITLE to title. */
export function propertyName(field: string): string {
  return field
    .split("_")
    .filter((word) => word !== "")
    .map((word) => (word === word.toUpperCase() ? word.toLowerCase() : word))
    .map((word, index) => (index === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + word.slice(1))
    .join("");
}
