import { isAbsolute } from "node:path";
import { executable, findProgram } from "../../platform/processes/find-program.ts";

/**
 * True if a server's command names no program.
 * @param path The search path. A path relative to a folder is not checked, because the session may be in another
 * folder.
 */
export function isProgramMissing(command: string, path: string): boolean {
  if (isAbsolute(command)) return executable(command) === undefined;
  return !command.includes("/") && findProgram(command, path) === undefined;
}
