import type { Workspace } from "../../../contracts/ports.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";

/**
 * Takes over the folder in which a command ended, when that lies inside the workspace.
 * @param before Where the command started.
 * @param after Where its shell ended; undefined when that isn't known or nothing moved it, empty when that folder is gone.
 * @returns what the model must know of it, or undefined when nothing changed.
 */
export function settleFolder(workspace: Workspace, before: string, after: string | undefined): string | undefined {
  if (after !== undefined && after !== "" && after !== before && kindAt(after) === "folder") {
    if (workspace.moveTo(after)) return `the working folder is now ${after}`;
    return `the working folder stays ${before}: ${after} lies outside the workspace`;
  }
  if (kindAt(before) === "folder") {
    const isGone = after !== undefined && after !== before;
    return isGone ? `the folder in which it ended is gone; the working folder stays ${before}` : undefined;
  }
  const [root] = workspace.roots;
  if (root === undefined) return undefined;
  workspace.moveTo(root);
  return `the working folder ${before} is gone; it is now ${root}`;
}
