import { join } from "node:path";
import { isJsonObject } from "../../contracts/message.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_SCRIPTS = 30;
/** `npm run guard`, also with options. */
const RUN = /\b(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*run(?:-script)?\s+(?:-\S+\s+)*["']?([\w:./-]+)/g;

/**
 * The texts of the scripts of `package.json` that a command runs with `npm run`, by name, and of the scripts that these
 * run in turn. @param root The folder of the file: absolute.
 */
export function packageScripts(command: string, root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const first = namesIn(command);
  const given = first.length > 0 ? scriptsOf(root) : {};
  const open = [...first];
  for (let name = open.pop(); name !== undefined && found.size < MAX_SCRIPTS; name = open.pop()) {
    const text = Object.hasOwn(given, name) ? given[name] : undefined;
    if (typeof text !== "string" || found.has(name)) continue;
    found.set(name, text);
    open.push(...namesIn(text));
  }
  return found;
}

function namesIn(command: string): readonly string[] {
  return [...command.matchAll(RUN)].flatMap(([, name = ""]) => [`post${name}`, name, `pre${name}`]);
}

function scriptsOf(root: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readSmallFile(join(root, "package.json"), MAX_FILE_BYTES) ?? "{}");
    const scripts = isJsonObject(value) ? value["scripts"] : undefined;
    return isJsonObject(scripts) ? scripts : {};
  } catch {
    return {};
  }
}
