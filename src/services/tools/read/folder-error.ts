import { join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { ToolContext } from "../../../contracts/tool.ts";
import { listFolder } from "../../../platform/files/list-folder.ts";
import { isInside } from "../../../platform/paths.ts";
import type { PathDeps, Target } from "../target-file.ts";

const MAX_ENTRIES = 20;

/** The error for a folder in the place of a file: its content, and how to list more. */
export async function folderError(
  target: Target,
  { cwd, isHidden, hasTool }: Pick<ToolContext, "cwd" | "hasTool"> & Pick<PathDeps, "isHidden">,
): Promise<ToolFailedError> {
  const start = `${target.shown} is a folder, not a file`;
  const advice = hasTool("Glob") ? ` List it with Glob (pattern "*", path "${target.shown}").` : "";
  if (!isInside(cwd, target.path)) return new ToolFailedError(`${start}.${advice}`);
  const entries = await listFolder(target.path).catch(() => []);
  const names = entries
    .filter(({ name }) => !isHidden(join(target.path, name)))
    .map(({ name, kind }) => (kind === "folder" ? `${name}/` : name));
  if (names.length === 0) return new ToolFailedError(`${start}, and it is empty.`);
  const shown = names.slice(0, MAX_ENTRIES).join(", ");
  const more = names.length > MAX_ENTRIES ? ` … (${plural(names.length, "entry").replace("entrys", "entries")})` : "";
  return new ToolFailedError(`${start}. It holds: ${shown}${more}.${advice}`);
}
