import { dirname, resolve } from "node:path";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import type { SessionTemporary } from "../../../contracts/ports.ts";
import { hasRights, kindAt } from "../../../platform/files/kind-at.ts";
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

/** The folder of a command: `real` with links resolved, `logical` like the shell's own PWD. Undefined: unknown. */
export type ShellFolder = { readonly real: string; readonly logical: string } | undefined;

/**
 * The folder after a command. Only a plain `cd <static folder>` that certainly runs in this shell, to an existing folder,
 * leads to a known place; after any other `cd`, the folder is unknown.
 */
export async function folderAfter(
  command: SimpleCommand,
  before: ShellFolder,
  view?: SessionTemporary,
): Promise<ShellFolder> {
  const [head] = command.words;
  if (head?.value !== "cd") return mayMove(command) ? undefined : before;
  const target = cdTarget(command);
  if (before === undefined || target === undefined || command.conditional) return undefined;
  // bash keeps the path as written: after `cd link`, `cd ..` returns to the old folder.
  const logical = resolve(before.logical, target);
  const real = await pathInShell(logical, before.real, { view, isWrite: true });
  return real !== undefined && kindAt(real) === "folder" && hasRights(real, "x") ? { real, logical } : undefined;
}

/** The static operand of a plain `cd`, or undefined. A failing redirect (`2>&9`) would prevent the change. */
export function cdTarget({ words, redirects }: SimpleCommand): string | undefined {
  const [head, ...args] = words;
  if (head?.value !== "cd" || !redirects.every(({ target }) => target.value === "/dev/null")) return undefined;
  const rest = args[0]?.value === "--" ? args.slice(1) : args;
  const [target] = rest;
  if (rest.length !== 1 || target === undefined || target.isGlob) return undefined;
  return target.value === "" || target.value?.startsWith("-") ? undefined : target.value;
}

/** Other ways to change the folder, or the behaviour of `cd`. */
function mayMove({ words }: SimpleCommand): boolean {
  const [head, ...args] = words.map(({ value }) => value);
  if (head === "pushd" || head === "popd" || head === "eval" || head === "source" || head === ".") return true;
  if (head === "set") return args.some((value) => value === undefined || /P|physical/.test(value));
  const runsNext = head === "builtin" || head === "command";
  return runsNext && args.some((value) => value === undefined || /^(?:cd|pushd|popd|eval)$/.test(value));
}
