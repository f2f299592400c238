import { createHash } from "node:crypto";

/** An experiment whose variants each get a share of the users. */
export interface Shares<Variant extends { share: number }> {
  name: string;
  variants: readonly Variant[];
}

/**
 * Returns the variant of a user, always the same one: name and identity determine it, and assignments of two experiments
 * are independent. Undefined if the user is beyond the shares.
 */
export function variantFor<Variant extends { share: number }>(
  { name, variants }: Shares<Variant>,
  identity: string,
): Variant | undefined {
  const point = pointOf(name, identity);
  let end = 0;
  for (const variant of variants) {
    end += variant.share;
    if (point < end) return variant;
  }
  // Shares of a third sum to a little less than 1 in floats.
  return end > 1 - 1e-9 ? variants.at(-1) : undefined;
}

/** Returns a point in [0, 1), the same for the same experiment and identity. */
export function pointOf(experiment: string, identity: string): number {
  const hash = createHash("sha256").update(`${experiment}\n${identity}`).digest();
  return hash.readUIntBE(0, 6) / 2 ** 48;
}
