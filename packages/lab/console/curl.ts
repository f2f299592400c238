import type { ProxiedService } from "../server/setup.ts";
/** A call that a program could make as well. */
export interface ServiceCall {
  service: ProxiedService;
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

/** Returns a call as a curl command for any POSIX shell. The key is a variable of the shell. */
export function curlOf(url: string, { method, path, body }: ServiceCall): string {
  const lines = [
    `curl -s${method === "GET" ? "" : ` -X ${method}`} ${url}${path}`,
    `-H "x-api-key: $RELEVANCE_API_KEY"`,
  ];
  if (body !== undefined) {
    lines.push("-H 'content-type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(" \\\n  ");
}
