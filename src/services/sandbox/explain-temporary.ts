import type { SessionTemporary } from "../../contracts/ports.ts";
import { findTemporary, isReplaced } from "../../platform/files/session-temporary.ts";
import { entryExists } from "../../platform/paths.ts";

const MISSING = /No such file or directory|ENOENT|FileNotFoundError|does not exist|cannot find|not found/i;
const PATH = /(?<![\w/.])\/[\w.@%+,/-]+/g;

/**
 * One line if the output of a failed command says that a file is missing which only the machine's folder for temporary
 * files has; undefined otherwise.
 */
export function explainTemporary(output: string, view: SessionTemporary | undefined): string | undefined {
  if (!view || view.inside === view.folder) return undefined;
  for (const line of output.split("\n")) {
    if (!MISSING.test(line)) continue;
    const path = (line.match(PATH) ?? []).find(
      (one) => isReplaced(one, view) && one !== view.inside && isOnlyOutside(one, view),
    );
    if (path !== undefined)
      return `Only the machine's own ${view.inside} has ${path}, and the sandbox has one of its own. Read shows it; to use it in a command, copy it into the workspace with dangerouslyDisableSandbox: a person then decides.`;
  }
  return undefined;
}

function isOnlyOutside(path: string, view: SessionTemporary): boolean {
  return entryExists(path) && findTemporary(path, view) === undefined;
}
