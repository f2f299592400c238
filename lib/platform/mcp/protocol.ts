import * as v from "valibot";
import type { ToolDescription } from "./tool.ts";

/** Versions of the protocol, latest first. What this server does is the same in all of them. */
export const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** A message of JSON-RPC: a request has method and id, a notification a method alone, an answer an id alone. */
export const Message = v.looseObject({
  jsonrpc: v.literal("2.0"),
  id: v.optional(v.union([v.string(), v.number()])),
  method: v.optional(v.string()),
  params: v.optional(v.looseObject({})),
});
export type Message = v.InferOutput<typeof Message>;

/** The answer to a tool call: JSON as text, or an error. */
export interface ToolResult {
  content: { type: "text"; text: string }[];
  isError?: true;
}

/** A server of tools. */
export interface ToolServer {
  name: string;
  /** Instructions for agents about all tools. */
  instructions: string;
  list(): Promise<readonly ToolDescription[]>;
  /** Returns advice for a name that no tool has. */
  namesThereAre: (name: string, known: readonly string[]) => string;
  /** Calls a tool; undefined if there is none of that name. */
  call(name: string): Promise<ToolResult | undefined>;
}

/** Returns the answer to a message; undefined for notifications and for answers, which have none. */
export async function answerTo({ id, method, params = {} }: Message, server: ToolServer): Promise<object | undefined> {
  if (id === undefined || method === undefined) return undefined;
  const result = (value: object) => ({ jsonrpc: "2.0", id, result: value });
  switch (method) {
    case "initialize":
      return result({
        protocolVersion: PROTOCOL_VERSIONS.find((one) => one === params.protocolVersion) ?? PROTOCOL_VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: server.name, version: "1" },
        instructions: server.instructions,
      });
    case "ping":
      return result({});
    case "tools/list":
      return result({ tools: (await server.list()).map(shown) });
    case "tools/call": {
      const { name } = params;
      const called = typeof name === "string" ? await server.call(name) : undefined;
      if (called) return result(called);
      const shownName = typeof name === "string" ? name.slice(0, 100) : "";
      const known = (await server.list()).map((tool) => tool.name);
      const advice = server.namesThereAre(shownName, known);
      return refused(id, -32_602, `There is no tool ${JSON.stringify(shownName)}: ${advice}.`);
    }
    default:
      return refused(id, -32_601, `There is no method ${JSON.stringify(method.slice(0, 200))}.`);
  }
}

/** Returns what lists show of a tool. All of them only read. */
const shown = ({ name, description, inputSchema }: ToolDescription) => ({
  name,
  description,
  inputSchema,
  annotations: { readOnlyHint: true, openWorldHint: false },
});

/** Returns an error of JSON-RPC. */
export const refused = (id: string | number, code: number, message: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});
