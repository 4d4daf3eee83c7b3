import { relative } from "node:path";
import type { Approvable } from "../../contracts/approval.ts";
import { approvedContent } from "./approved-content.ts";
import { shownEffects } from "./shown-effects.ts";

/**
 * The status line command of a project's settings file, as an item to approve.
 * @param root The project root: absolute, symlinks resolved.
 */
export function statusLineApprovable(command: string, file: string, root: string): Approvable {
  return {
    kind: "status-line",
    name: command,
    content: approvedContent({ command }, [command], { root }),
    ...shownEffects([`runs repeatedly as the status line: ${command} (${relative(root, file)})`]),
  };
}
