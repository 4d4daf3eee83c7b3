import { join, relative } from "node:path";
import type { Approvable } from "../../contracts/approval.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { hookText } from "../../contracts/hook-text.ts";
import { contentHash } from "../../platform/files/content-hash.ts";
import { kindAt } from "../../platform/files/kind-at.ts";
import { approvedContent } from "./approved-content.ts";
import { packageScripts } from "./package-scripts.ts";
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
