/** How the tokens of a key are checked: by its secret, or by the keys of an issuer. */
export interface TokenSettings {
  /** Whether the key has no rights without a token. */
  required: boolean;
  /** The longest time from `iat` to `exp`, in seconds. */
  max_age: number;
  /** Name of the signing secret; undefined with an issuer. */
  secret_name?: string | undefined;
  issuer?: string | undefined;
  /** `aud` of the tokens. If undefined, the name of the key. */
  audience?: string | undefined;
  jwks?: Readonly<Record<string, unknown>> | undefined;
  jwks_url?: string | undefined;
}

/** Rights of a token that have no counterpart in the key's rules. */
export interface TokenRights {
  /** `sub` of the token, for the request log. */
  subject: string | null;
  /** Native queries that every document of an answer matches. Their numbers are as written. */
  filters?: readonly unknown[];
  /** The only user and segments of a request. */
  user_id?: string | undefined;
  segments?: readonly string[] | undefined;
  /** The filter of recommendations, and values that a request cannot change. */
  recommend?: { filter_name: string; filter_value_dict: Readonly<Record<string, string>> } | undefined;
  /** Whether the key may send searches of its own. Then the values of its templates were not checked beforehand. */
  ownBodies: boolean;
}
