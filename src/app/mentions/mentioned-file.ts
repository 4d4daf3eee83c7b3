import type { FileMention } from "../../contracts/file-mention.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { type ResolvedPath, resolvePath } from "../../platform/files/resolve-path.ts";
import { shownPath } from "../../services/tools/target-file.ts";

/** An existing file or folder that a prompt names. */
export type MentionedFile = {
  readonly target: ResolvedPath;
  /** Relative to the working folder if it is inside. */
  readonly shown: string;
  readonly isFolder: boolean;
  readonly lines?: FileMention["lines"];
  readonly pages?: FileMention["pages"];
};

export type MentionPlace = {
  /** The working folder now. */
  readonly cwd: string;
  /** The working folder at the start, from which the list names files. */
  readonly startedIn: string;
  readonly home: string;
};

/** The file or folder that a mention names; undefined if there is none. */
export async function mentionedFile(
  { paths, lines, pages }: FileMention,
  { cwd, startedIn, home }: MentionPlace,
): Promise<MentionedFile | undefined> {
  for (const base of new Set([cwd, startedIn])) {
    for (const path of paths) {
      const target = await resolvePath(path, { cwd: base, home }).catch(() => undefined);
      const kind = target && kindAt(target.path);
      if (!target || kind === undefined || kind === "other") continue;
      const isFolder = kind === "folder";
      const part = { ...(lines && { lines }), ...(pages && { pages }) };
      return { target, shown: shownPath(cwd, target.path), isFolder, ...part };
    }
  }
  return undefined;
}
