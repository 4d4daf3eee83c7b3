import { cpSync, existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { kindAt } from "../files/kind-at.ts";
import { realPathOrSelf } from "../paths.ts";
import { readFirstLine, readSmallFile } from "../read-small-file.ts";

const MAX_CONFIG_BYTES = 1024 * 1024;
/** Files of this work tree alone, and of the repository (gitrepository-layout(5)). */
const OWN_PARTS = ["HEAD", "index", "ORIG_HEAD"];
const COMMON_PARTS = ["refs", "packed-refs", "logs", "shallow", "info"];
/**
 * No remote, hook, alias or program, so that a command in the copy can publish nothing and starts no program of the
 * project's settings.
 */
const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n";

/**
 * Gives the copy of a work tree its git folder: index and refs are copied, objects are read from the original. The copy
 * has no remotes and no other configuration.
 * @returns the missing parts, one line each.
 */
export function copyRepository(root: string, copy: string): readonly string[] {
  const own = gitFolderOf(root);
  if (own === undefined) return [];
  const common = resolve(own, readFirstLine(join(own, "commondir")) ?? ".");
  const config = readSmallFile(join(common, "config"), MAX_CONFIG_BYTES);
  if (config === undefined || /^\s*\[\s*extensions\b/im.test(config))
    return ["git's history (it is backed up in its own format)"];
  const target = join(copy, ".git");
  mkdirSync(join(target, "objects", "info"), { recursive: true });
  mkdirSync(join(target, "refs"), { recursive: true });
  for (const [folder, names] of [
    [common, COMMON_PARTS],
    [own, OWN_PARTS],
  ] as const) {
    for (const name of names) {
      // A link into another repository would let the copy write there.
      const from = realPathOrSelf(join(folder, name));
      const to = join(target, name);
      if (existsSync(from)) cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: isOrdinary });
    }
  }
  writeFileSync(join(target, "config"), CONFIG);
  writeFileSync(join(target, "objects", "info", "alternates"), `${quoted(join(common, "objects"))}\n`);
  return ["remotes, hooks and configuration of the repository"];
}

/** Other files among the refs are not copied. */
function isOrdinary(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isFile() || stats.isDirectory());
}

/** The git folder of a work tree; undefined if there is none. */
export function gitFolderOf(root: string): string | undefined {
  const at = join(root, ".git");
  if (kindAt(at) === "folder") return at;
  const target = /^gitdir: (.+)$/.exec(readFirstLine(at) ?? "")?.[1];
  return target === undefined ? undefined : resolve(root, target);
}

/** The form in which git reads a line of `objects/info/alternates` that begins with a quote. */
function quoted(path: string): string {
  return /["\n\\]/.test(path) ? JSON.stringify(path) : path;
}
