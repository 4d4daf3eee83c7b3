import { join, relative } from "node:path";
import { revealText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import type { HeldSetting } from "../../contracts/settings.ts";
import { listFolder } from "../../platform/files/list-folder.ts";
import { entryExists, outerGitFolders } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { declaredPrograms, mcpServers } from "./declared-programs.ts";
import { gitPrograms } from "./git-programs.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_COLUMNS = 160;
/** A person reads a screen of these; the rest is counted. */
const MAX_REASONS = 40;

/**
 * What trusting a project would let run or widen: settings that are held back, hooks, MCP servers, the status line, and what
 * git would start because of the repository's own configuration. Nothing is started to find out, and nothing here decides.
 * @param root The project root: absolute, symlinks resolved.
 * @returns one short line each, safe to print; empty when there is nothing.
 */
export async function whatWouldRun(root: string, held: readonly HeldSetting[]): Promise<readonly string[]> {
  const gitFolders = gitFoldersOf(root);
  const configs = gitFolders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]);
  const parts = await Promise.all([
    linesOf(root, join(root, ".quoll", "settings.json"), declaredPrograms),
    linesOf(root, join(root, ".mcp.json"), mcpServers),
    ...configs.map((file) => linesOf(root, file, configLines)),
    ...gitFolders.map((folder) => hookLine(root, join(folder, "hooks"))),
  ]);
  const widening = held.map(({ file, line, what }) => `${what} (${shown(root, file)}:${line})`);
  const all = [...new Set([...widening, ...parts.flat()].map(oneLine))];
  const more = all.length - MAX_REASONS;
  return more > 0 ? [...all.slice(0, MAX_REASONS), `and ${more} more like these`] : all;
}

/** What a file of the project declares; one that can't be read or understood is itself worth a line. */
async function linesOf(
  root: string,
  file: string,
  read: (text: string, name: string) => readonly string[],
): Promise<readonly string[]> {
  try {
    const text = await readSmallText(file, MAX_FILE_BYTES);
    return text === undefined ? [] : read(text, shown(root, file));
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return [];
    return [unclear(root, file, error)];
  }
}

/** Where git keeps this repository's configuration and hooks; a worktree's lie elsewhere. */
function gitFoldersOf(root: string): readonly string[] {
  const outer = outerGitFolders(root);
  if (outer.length > 0) return outer;
  return [isBare(root) ? root : join(root, ".git")];
}

/** The folder is itself a repository's data: its configuration lies open among its files. */
function isBare(root: string): boolean {
  return !entryExists(join(root, ".git")) && entryExists(join(root, "HEAD")) && entryExists(join(root, "objects"));
}

function configLines(text: string, name: string): readonly string[] {
  return gitPrograms(text).map(({ key, value, line }) => `lets git run ${key} = ${value} (${name}:${line})`);
}

/** git's own samples end in `.sample` and never run. */
async function hookLine(root: string, folder: string): Promise<readonly string[]> {
  if (!entryExists(folder)) return [];
  try {
    const hooks = (await listFolder(folder))
      .filter(({ name, kind }) => kind !== "folder" && !name.endsWith(".sample"))
      .map(({ name }) => name);
    return hooks.length === 0 ? [] : [`lets git run its hooks ${hooks.join(", ")} (${shown(root, folder)})`];
  } catch (error) {
    return [unclear(root, folder, error)];
  }
}

function unclear(root: string, path: string, error: unknown): string {
  return `holds what can't be looked at beforehand: ${shown(root, path)} (${errorMessage(error)})`;
}

/** A path as it is named to the person: inside of the project without its root. */
function shown(root: string, path: string): string {
  const inside = relative(root, path);
  return inside === "" || inside.startsWith("..") ? path : inside;
}

/** A stranger's words: nothing in them drives the terminal, nothing vanishes, and they stay on one line. */
function oneLine(text: string): string {
  return truncateText(revealText(text).replaceAll("\n", "␊"), MAX_COLUMNS);
}
