import { join } from "node:path";
import { isJsonObject } from "../../contracts/message.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_SCRIPTS = 30;
/** A package manager, and the words up to the end of its command: `npm run guard`, `yarn guard`, `npm -C tools test`. */
const MANAGER = /(?:^|[\s;|&("'`/])(?:npm|pnpm|yarn|bun|node)\s+([^;|&\n]+)/g;
/** Between the words of a command. */
const BETWEEN = /[\s"'`()]+/;
/** Other names of a script that package managers know. */
const SHORT_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["t", ["test"]],
  ["tst", ["test"]],
  ["restart", ["stop", "start"]],
]);

/**
 * The texts of the scripts of `package.json` that a command may run through a package manager, by file and name, and of
 * the scripts that these run in turn. Each word behind the manager may name a script: `npm --prefix tools run -s guard`.
 * @param folders Folders with a package.json, relative to the root; "" for the root itself.
 */
export function packageScripts(
  command: string,
  root: string,
  folders: readonly string[] = [""],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const first = namesIn(command);
  if (first.length === 0) return found;
  for (const folder of folders) {
    const file = folder === "" ? "package.json" : `${folder}/package.json`;
    const given = scriptsOf(join(root, file));
    const open = [...first];
    for (let name = open.pop(); name !== undefined && found.size < MAX_SCRIPTS; name = open.pop()) {
      const key = `${file} (${name})`;
      const text = Object.hasOwn(given, name) ? given[name] : undefined;
      if (typeof text !== "string" || found.has(key)) continue;
      found.set(key, text);
      open.push(...namesIn(text));
    }
  }
  return found;
}

function namesIn(command: string): readonly string[] {
  const words = [...command.matchAll(MANAGER)].flatMap(([, rest = ""]) => rest.split(BETWEEN));
  return words
    .flatMap((word) => [word, ...(SHORT_NAMES.get(word) ?? [])])
    .filter((name) => /^[\w:./-]+$/.test(name) && !name.startsWith("-"))
    .flatMap((name) => [`post${name}`, name, `pre${name}`]);
}

function scriptsOf(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readSmallFile(path, MAX_FILE_BYTES) ?? "{}");
    const scripts = isJsonObject(value) ? value["scripts"] : undefined;
    return isJsonObject(scripts) ? scripts : {};
  } catch {
    return {};
  }
}
