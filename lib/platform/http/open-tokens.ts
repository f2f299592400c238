import { once } from "../resilience/once.ts";
import type { CheckToken } from "./access.ts";

/** Returns a function that loads the check of tokens with the first token. */
export const tokenChecks = (readSecret: (name: string) => Promise<string>): (() => Promise<CheckToken>) =>
  once(async () => (await import("./tokens.ts")).createTokens({ readSecret }));
