import { runTwin } from "./run-twin.ts";

process.exitCode = await runTwin(process.argv.slice(2), process);
