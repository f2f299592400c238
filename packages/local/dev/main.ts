import { exitWhenWritten } from "../process/exit.ts";
import { runDev } from "./run.ts";

await exitWhenWritten(await runDev(process.argv.slice(2), process.env));
