/** Restrictions of a token on the rights of its key. Every member is optional. */
export interface TokenClaim {
  /** `{field: value}`, or native queries, that every document of an answer matches. */
  filter?: Readonly<Record<string, unknown>> | ReadonlyArray<Readonly<Record<string, unknown>>>;
  indexes?: readonly string[];
  templates?: readonly string[];
  placements?: readonly string[];
  user_id?: string;
  segments?: readonly string[];
  /** The filter of recommendations, with values that requests cannot change. */
  recommend?: { filter_name: string; filter_value_dict: Readonly<Record<string, string>> };
}

export interface TokenOptions {
  /** Who the token is for; the request log has it. */
  subject?: string;
  /** Seconds until the token expires. Default: 3600. */
  expiresIn?: number;
}

/**
 * Returns a token that narrows a key, for a browser or an app of one person. `secret` is the text of the secret
 * `/relevance/<project>/tokens/<key>`: it stays on the server. Makes no call.
 */
export async function signToken(
  secret: string,
  claim: TokenClaim,
  { subject, expiresIn = 3_600 }: TokenOptions = {},
): Promise<string> {
  const { key, current, secrets } = JSON.parse(secret) as {
    key: string;
    current: string;
    secrets: Record<string, string>;
  };
  const iat = Math.floor(Date.now() / 1_000);
  const payload = {
    aud: key,
    iat,
    exp: iat + expiresIn,
    ...(subject !== undefined && { sub: subject }),
    relevance: claim,
  };
  const bytes = (text: string) => new TextEncoder().encode(text);
  const content = [{ alg: "HS256", typ: "JWT", kid: current }, payload]
    .map((part) => base64url(bytes(JSON.stringify(part))))
    .join(".");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const signing = await crypto.subtle.importKey("raw", bytes(secrets[current] ?? ""), algorithm, false, ["sign"]);
  return `${content}.${base64url(new Uint8Array(await crypto.subtle.sign("HMAC", signing, bytes(content))))}`;
}

const base64url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
