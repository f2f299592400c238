import { runDev } from "./run.ts";

process.exit(await runDev(process.argv.slice(2), process.env));
