import { join, relative } from "node:path";
import type { Approvable } from "../../contracts/approval.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { hookText } from "../../contracts/hooks-view.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { parsedObject } from "../../contracts/parsed-json.ts";
import { contentHash } from "../../platform/digest.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { approvedContent } from "./approved-content.ts";
import { shownEffects } from "./shown-effects.ts";
import { makeRecipes, unnamedFiles } from "./task-files.ts";

/** Of the folders that a command names. */
const MAX_FOLDERS = 8;

/** The hooks of a project as items to approve, in the same order. @param root Absolute, symlinks resolved. */
export function hookApprovables(hooks: readonly DeclaredHook[], root: string): readonly Approvable[] {
  const seen = new Map<string, number>();
  return hooks.map((declared) => {
    const { event, matcher = "", hook, file, line } = declared;
    const plain = `${eventText(declared)}: ${hookText(hook)}`;
    const count = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, count);
    const place = `${relative(root, file)}${line === undefined ? "" : `:${line}`}`;
    const commands = hook.type === "command" ? [hook.command ?? "", ...(hook.args ?? [])] : [];
    return {
      kind: "hook",
      name: count === 1 ? plain : `${plain} (${count})`,
      content: hookContent({ event, matcher, hook }, commands, root),
      ...shownEffects([`${hookEffect(declared)} (${place})`]),
    };
  });
}

/** The content, with the files that the commands run without naming them, and a line for each script of package.json. */
function hookContent(declaration: unknown, commands: readonly string[], root: string): string {
  const command = commands.join(" ");
  const folders = ["", ...foldersIn(command, root)];
  const scripts = packageScripts(command, root, folders);
  const texts = [command, ...scripts.values()];
  const recipes = texts.flatMap((text) => makeRecipes(text, root, folders));
  const unnamed = [...texts, ...recipes].flatMap((text) => unnamedFiles(text, root));
  const content = approvedContent(declaration, [...commands, ...scripts.values(), ...recipes, ...unnamed], { root });
  const lines = [...scripts].map(([name, text]) => `${contentHash(Buffer.from(text))} ${name}`);
  return [content, ...lines.sort()].join("\n");
}

/** The folders of the project that a command names: `make -C tools`, `npm --prefix tools`, `cd tools`. */
function foldersIn(command: string, root: string): readonly string[] {
  const words = command.split(/[\s"'`;|&()=]+/).map((word) => word.replace(/^\.\//, "").replace(/\/+$/, ""));
  const names = words.filter((word) => /^[\w@][\w@./-]*$/.test(word) && !word.split("/").includes(".."));
  return [...new Set(names)].filter((name) => kindAt(join(root, name)) === "folder").slice(0, MAX_FOLDERS);
}

/** The effect of one hook, not yet safe to print. */
export function hookEffect(declared: DeclaredHook): string {
  const { hook } = declared;
  const event = eventText(declared);
  switch (hook.type) {
    case "command":
      return `runs at ${event}: ${hookText(hook)}`;
    case "http":
      return `sends ${event} to ${hookText(hook)}${hook.allowedEnvVars ? ` with your variables ${hook.allowedEnvVars.join(", ")}` : ""}`;
    case "mcp_tool":
      return `calls the tool ${hook.tool} of the MCP server ${hook.server} at ${event}`;
    case "prompt":
      return `asks a model at ${event}: ${hookText(hook)}`;
    case "agent":
      return `starts an agent at ${event}: ${hookText(hook)}`;
  }
}

function eventText({ event, matcher }: DeclaredHook): string {
  return matcher ? `${event} (${matcher})` : event;
}

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
  const scripts = parsedObject(readSmallFile(path, MAX_FILE_BYTES) ?? "")?.["scripts"];
  return isJsonObject(scripts) ? scripts : {};
}
