import { basename } from "node:path";
import { debugFolder } from "../../app/session/lazy-debug-log.ts";
import type { LoggedError } from "../../contracts/doctor.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { MAX_LOG_BYTES } from "../../services/telemetry/debug-log/debug-file.ts";
import { readErrors } from "../../services/telemetry/debug-log/read-errors.ts";
import { logFiles } from "../../services/telemetry/io/prune-logs.ts";

const MAX_LOGS_READ = 10;
const MAX_ERRORS = 20;

/** The errors of the newest debug logs, newest first. A log that can't be read counts as empty. */
export async function recentErrors(stateFolder: string): Promise<readonly LoggedError[]> {
  const logs = logFiles(debugFolder(stateFolder)).slice(0, MAX_LOGS_READ);
  const read = logs.map(async ({ path }) => {
    const text = await readSmallText(path, MAX_LOG_BYTES).catch(() => undefined);
    return readErrors(text ?? "", basename(path, ".log"));
  });
  const errors = (await Promise.all(read)).flat();
  return errors.sort((a, b) => b.time.localeCompare(a.time)).slice(0, MAX_ERRORS);
}
