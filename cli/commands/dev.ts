import * as v from "valibot";
import { defineCommand, type ExitCode } from "../command.ts";

/** `relevance dev`: the stack of `make dev`; its variables (PORT= and others) are in docs/guides/local-stack.md. */
export const dev = defineCommand({
  example: "PORT=8080 relevance dev --no-demo",
  conf: "conf.local",
  define: (command) => {
    command
      .option("--no-demo", "start empty")
      .option("--rebuild-demo", "make the demo index anew")
      .option("--reset-recommendation", "forget users, items, events and what was trained")
      .option("--dir <dir>", "where data and state are kept", ".local");
  },
  options: {
    demo: v.boolean(),
    rebuildDemo: v.optional(v.boolean(), false),
    resetRecommendation: v.optional(v.boolean(), false),
    dir: v.string(),
  },
  run: async ({ conf, demo, rebuildDemo, resetRecommendation, dir }, { env }) => {
    const { runDev } = await import("../../local/dev/run.ts");
    const flags = [
      ...(demo ? [] : ["--no-demo"]),
      ...(rebuildDemo ? ["--rebuild-demo"] : []),
      ...(resetRecommendation ? ["--reset-recommendation"] : []),
    ];
    const exitCode = await runDev([...flags, "--conf", conf, "--dir", dir], env);
    // Servers that were still starting end with this process.
    process.exit(exitCode as ExitCode);
  },
});
