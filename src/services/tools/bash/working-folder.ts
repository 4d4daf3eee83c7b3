import { ToolFailedError } from "../../../contracts/errors.ts";
import type { Workspace } from "../../../contracts/ports.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";

/**
 * The starting folder of the command; if it is gone, the workspace's first folder, with a note for the model.
 * @throws {ToolFailedError} that is gone too.
 */
export function presentFolder(workspace: Workspace, cwd: string): { cwd: string; note: string | undefined } {
  if (kindAt(cwd) === "folder") return { cwd, note: undefined };
  const [root] = workspace.roots;
  if (root === undefined || kindAt(root) !== "folder")
    throw new ToolFailedError(`The working folder ${cwd} is gone, and so is the workspace's root: nothing can run.`);
  workspace.moveTo(root);
  return { cwd: root, note: `the working folder ${cwd} was gone; this ran in ${root}` };
}

/**
 * Takes over the folder in which a command ended, if it is inside the workspace.
 * @param before The folder in which the command started.
 * @param after The folder in which its shell ended; undefined if unknown or unchanged, empty if the folder is gone.
 * @returns the note for the model, absent if nothing changed; `movedTo`: the folder if it was taken over.
 */
export function settleFolder(
  workspace: Workspace,
  before: string,
  after: string | undefined,
): { readonly note?: string | undefined; readonly movedTo?: string } {
  if (after !== undefined && after !== "" && after !== before && kindAt(after) === "folder") {
    if (workspace.moveTo(after)) return { note: `the working folder is now ${after}`, movedTo: after };
    return { note: `the working folder stays ${before}: ${after} lies outside the workspace` };
  }
  if (kindAt(before) === "folder") {
    const isGone = after !== undefined && after !== before;
    return isGone ? { note: `the folder in which it ended is gone; the working folder stays ${before}` } : {};
  }
  const [root] = workspace.roots;
  if (root === undefined) return {};
  workspace.moveTo(root);
  return { note: `the working folder ${before} is gone; it is now ${root}` };
}
