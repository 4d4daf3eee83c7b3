import { join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { type ToolResult, textResult } from "../../../contracts/tool.ts";
import { listFolder } from "../../../platform/files/list-folder.ts";
import { count, type PathDeps, type Target } from "../target-file.ts";
import type { Range } from "./read-text.ts";

/** Entries of a page, unless the call says otherwise. */
const DEFAULT_ENTRIES = 200;

/**
 * The names in a folder, folders with a slash, without those that rules hide.
 * @param range The first entry, from 1, and how many; without `limit` 200.
 * @throws {ToolFailedError} the folder is missing or unreadable.
 */
export async function readFolder(
  target: Target,
  { offset, limit = DEFAULT_ENTRIES }: { readonly offset: Range["offset"]; readonly limit: number | undefined },
  isHidden: PathDeps["isHidden"],
): Promise<ToolResult> {
  const entries = await listFolder(target.path);
  const names = entries
    .filter(({ name }) => !isHidden(join(target.path, name)))
    .map(({ name, kind }) => (kind === "folder" ? `${name}/` : name));
  const display = { kind: "summary", text: plural(names.length, "name") } as const;
  if (names.length === 0) return textResult(`${target.shown} is an empty folder.`, { display });
  const shown = names.slice(offset - 1, offset - 1 + limit);
  const end = offset - 1 + shown.length;
  const head = `${target.shown} is a folder with ${plural(names.length, "name")}:`;
  const more = end < names.length ? [`[${count(names.length - end)} more; go on with offset ${count(end + 1)}]`] : [];
  const none = shown.length === 0 ? [`[offset ${count(offset)} is behind the last name]`] : [];
  return textResult([head, ...shown, ...none, ...more].join("\n"), { display });
}
