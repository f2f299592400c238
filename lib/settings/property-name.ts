/**
 * Returns the name of a field in the properties of PutEvents, PutUsers and PutItems: numberOfRatings for NUMBER_OF_RATINGS.
 * Source: Personalize's API reference, data type Item.
 */
export function propertyName(field: string): string {
  return field
    .toLowerCase()
    .split("_")
    .filter((word) => word !== "")
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");
}

/** Returns a name in upper case that Personalize finds: PICTURE_URL for pictureURL. */
export const betterName = (field: string): string => field.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();

/**
 * Returns why Personalize would not find a field by its property name; undefined if it would. Camel case keeps where words
 * begin, and nothing else of upper and lower case: nothing tells pictureURL from PICTURE_URL.
 */
export function nameProblem(field: string): string | undefined {
  if (/^_*(?:[A-Z][A-Z0-9_]*|[a-z][a-z0-9_]*)$/.test(field)) return undefined;
  const better = betterName(field);
  const advice = /[A-Z]/.test(better) ? `write ${better}` : "give it a letter";
  return `Personalize finds fields by camel-case names, which a name of upper or of lower case alone has: ${advice}`;
}
