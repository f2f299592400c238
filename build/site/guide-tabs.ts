import { describedOperations, type OpenApiFile } from "./openapi-file.ts";
import { type Call, requestTabs } from "./tabs.ts";

const COMMANDS = /^```sh\n(curl [\s\S]*?)\n```$/gm;

/** A command with the URL and the key in the variables that the guides name, and nothing that the clients cannot send. */
const COMMAND =
  /^curl (?:-X ([A-Z]+) )?"\$URL(\/[^"]*)" -H "x-api-key: \$KEY"(?: -H 'content-type: application\/json' -d '((?:[^']|'\\'')*)')?$/;

/** Returns a guide with tabs in place of its `curl` commands. A command that the clients have no method for stays as it is. */
export function withTabs(text: string, files: readonly OpenApiFile[]): string {
  const operations = new Map(
    files.flatMap(describedOperations).map(({ method, path, operationId }) => [`${method} ${path}`, operationId]),
  );
  return text.replaceAll(COMMANDS, (block, command: string) => {
    const call = callOf(command);
    if (!call) return block;
    const operationId = operations.get(`${call.method} ${call.path}`);
    const isKnown = operationId !== undefined || call.path.startsWith("/raw-backend/");
    return isKnown ? requestTabs(command, call, operationId) : block;
  });
}

function callOf(command: string): Call | undefined {
  const [whole, method, path = "", quoted] = COMMAND.exec(command.replaceAll(/ \\\n */g, " ")) ?? [];
  if (whole === undefined) return undefined;
  const body = quoted?.replaceAll("'\\''", "'");
  return { method: method ?? (body === undefined ? "GET" : "POST"), path, body };
}
