import * as v from "valibot";
import { flag, integer, mapping, section, text } from "./kinds.ts";

/** `tokens` of a key of api.yaml. */
export const Tokens = section(
  {
    required: v.optional(
      flag("Whether the key has no rights without a token, as for a key that visitors can read."),
      true,
    ),
    max_age: v.optional(integer(60, 2_592_000, "The longest time that a token is valid, in seconds."), 86_400),
    issuer: v.optional(
      text(
        /^[\x21-\x7e]{1,2000}$/,
        "the `iss` of your tokens, such as https://login.example.org/",
        "`iss` of tokens that a service of yours signs by RS256 or ES256. Default: tokens are signed by HS256 with the secret /relevance/<project>/tokens/<name of the key>, which `deploy` makes.",
      ),
    ),
    audience: v.optional(
      text(/^[\x21-\x7e]{1,256}$/, "a text without blanks", "`aud` of the tokens. Default: the name of the key."),
    ),
    jwks: v.optional(mapping("The public keys of the issuer, a JSON Web Key Set.")),
    jwks_url: v.optional(
      text(
        /^https:\/\/\S{1,2000}$/,
        "an address that starts with https://",
        "Where the issuer publishes its keys instead. The functions need a way there.",
      ),
    ),
  },
  "Tokens that narrow the key: by a filter, indexes, templates, placements, a user and segments. See docs/guides/tokens.md.",
);
