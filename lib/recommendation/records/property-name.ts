/** A field's name as PutEvents, PutUsers and PutItems want it: NUM_RATINGS is numRatings, TITLE is title. */
export function propertyName(field: string): string {
  return field
    .split("_")
    .filter((word) => word !== "")
    .map((word) => (word === word.toUpperCase() ? word.toLowerCase() : word))
    .map((word, index) => (index === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + word.slice(1))
    .join("");
}
