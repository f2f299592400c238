import { join } from "node:path";
import { readIfThere, replaceFile } from "@relevance/processes/files.ts";
import { freePort, requireFreePort } from "@relevance/processes/ports.ts";
import { type DevOptions, FIRST_PORT, PORTS, type PortName, PURPOSES } from "./options.ts";

/** Returns the ports of a stack: from PORT on, or those of its last start. Throws LocalError if one from PORT on is taken. */
export async function stackPorts({ dir, port }: Pick<DevOptions, "dir" | "port">): Promise<Record<PortName, number>> {
  const ports = {} as Record<PortName, number>;
  for (const [place, name] of PORTS.entries()) {
    if (port !== undefined) await requireFreePort(port + place, PURPOSES[name]);
    ports[name] = port === undefined ? await rememberedPort(dir, name, FIRST_PORT + place) : port + place;
  }
  return ports;
}

/**
 * Returns the port that a server of the stack had at its last start in this folder, else `usual`, else a free one, and
 * stores it for the next start, so that bookmarks keep working.
 */
export async function rememberedPort(dir: string, name: string, usual: number): Promise<number> {
  const file = join(dir, "ports.json");
  const known: Record<string, number> = JSON.parse(readIfThere(file) ?? "{}");
  const { [name]: last = usual, ...others } = known;
  // A port that another of the stack's servers remembers is free only until that server starts.
  const isFree = async (port: number) =>
    !Object.values(others).includes(port) &&
    (await requireFreePort(port, name).then(
      () => true,
      () => false,
    ));
  const port = (await isFree(last)) ? last : (await isFree(usual)) ? usual : await freePort();
  if (port !== known[name]) replaceFile(file, `${JSON.stringify({ ...known, [name]: port }, undefined, 2)}\n`);
  return port;
}
