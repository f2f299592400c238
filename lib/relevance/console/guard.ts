import type { IncomingMessage } from "node:http";

/** The header that the page sends with each call. Another site's page cannot send it without a preflight, which fails. */
export const CONSOLE_HEADER = "x-relevance-console";

/** Headers of every answer. The page loads and calls nothing but this server. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/**
 * Returns why a request must not be served, undefined if it may. A name that another site points to this machine (DNS
 * rebinding) shows in `Host`, a call of another site's page in `Origin`, `Sec-Fetch-Site` and the missing header.
 */
export function refusalOf({ headers, socket }: IncomingMessage, kind: "file" | "call"): string | undefined {
  const own = ["127.0.0.1", "localhost"].map((name) => `${name}:${socket.localPort}`);
  const { host = "", origin } = headers;
  if (!own.includes(host))
    return `The console is not served under the name ${JSON.stringify(host)}: open http://${own[0]}`;
  if (kind === "file") return undefined;
  if (origin !== undefined && origin !== `http://${host}`) return "Another site's page may not call the console";
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return "Another site's page may not call the console";
  if (headers[CONSOLE_HEADER] !== "1") return `Calls of the console need the header ${CONSOLE_HEADER}: 1`;
  return undefined;
}
