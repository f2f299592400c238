/** Splits a text into its words. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Splits a text into phrases, which semicolons separate. */
export function phrases(text: string): string[] {
  return text.split(/;\s+/);
}
