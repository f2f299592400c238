import { exitWhenWritten } from "@relevance/processes/exit.ts";
import { runDev } from "./run.ts";

await exitWhenWritten(await runDev(process.argv.slice(2), process.env));
