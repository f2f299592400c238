export type { BulkOptions, Written } from "./bulk.ts";
export * from "./errors.ts";
export { type RawOptions, Relevance } from "./relevance.ts";
export { signToken, type TokenClaim, type TokenOptions } from "./token.ts";
export type { CallOptions, Options } from "./transport.ts";
export type * from "./types.ts";
