import { dirname, resolve } from "node:path";
import type { SessionTemporary } from "../../../contracts/ports.ts";
import { resolvePath } from "../../../platform/files/resolve-path.ts";

/** How a confined command sees its folder for temporary files. */
export type TemporaryUse = {
  readonly view: SessionTemporary | undefined;
  /** True for a file that the command writes. */
  readonly isWrite?: boolean;
};

/**
 * The file that the kernel opens for a path in a command. Unlike a lexical join, `link/..` is the parent of the link's
 * target. `~` is not expanded: the shell has done that, or the name is quoted.
 * @param cwd Absolute, links resolved.
 * @returns absolute, links resolved; undefined if the path leads nowhere (circular links, a file in place of a folder).
 */
export async function pathInShell(text: string, cwd: string, temporary?: TemporaryUse): Promise<string | undefined> {
  let at = text.startsWith("/") ? "/" : cwd;
  let plain: string[] = [];
  try {
    for (const segment of text.split("/")) {
      if (segment === "..") {
        const folder = await realAt(at, plain, temporary);
        at = dirname(folder === temporary?.view?.folder ? temporary.view.inside : folder);
        plain = [];
      } else if (segment !== "" && segment !== ".") plain.push(segment);
    }
    return await realAt(at, plain, temporary);
  } catch {
    return undefined;
  }
}

/** The absolute path as written, for rules with this name. */
export function givenPath(text: string, cwd: string): string {
  return resolve(cwd, text);
}

async function realAt(folder: string, segments: readonly string[], temporary?: TemporaryUse): Promise<string> {
  if (segments.length === 0) return folder;
  const { view, isWrite } = temporary ?? {};
  const { path } = await resolvePath(`${folder}/${segments.join("/")}`, {
    cwd: folder,
    home: folder,
    temporary: async () => view,
    isWrite,
  });
  return path;
}
