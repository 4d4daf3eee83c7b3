import type { HeldSetting } from "../../contracts/settings.ts";
import { type SettingsFile, settingsSchema } from "../../contracts/settings-schema.ts";
import type { ParsedSettings } from "./parse-settings.ts";
import { type Judged, judgeParts } from "./project-policy.ts";

/** The maximum number of messages of one kind. */
const MAX_NAMED = 20;

export type ProjectSettings = {
  /** The parts that take effect. */
  readonly value: SettingsFile;
  readonly held: readonly HeldSetting[];
  readonly warnings: readonly string[];
};

/** Selects the project settings that may take effect: all restrictions, and in a trusted folder the keys that a project may set. */
export function takeProjectSettings(parsed: ParsedSettings, file: string, isTrusted: boolean): ProjectSettings {
  const kept: Judged[] = [];
  const held: HeldSetting[] = [];
  const refused: Judged[] = [];
  const lineOf = ({ path }: Judged) => parsed.lineOf(path) ?? 1;
  for (const part of judgeParts(parsed.value)) {
    if (part.standing === "never") refused.push(part);
    else if (part.standing === "now" || isTrusted) kept.push(part);
    else held.push({ file, line: lineOf(part), what: part.what });
  }
  const warning = refusal(refused, file, lineOf);
  held.sort((a, b) => a.line - b.line);
  return { value: rebuild(kept), held, warnings: warning === undefined ? [] : [warning] };
}

function refusal(refused: readonly Judged[], file: string, lineOf: (part: Judged) => number): string | undefined {
  const placed = refused.map((part) => ({ name: part.name, line: lineOf(part) })).sort((a, b) => a.line - b.line);
  const line = placed[0]?.line;
  if (line === undefined) return undefined;
  const names = placed.map((part) => (part.line === line ? part.name : `${part.name} (line ${part.line})`));
  const shown = [...new Set(names)];
  const more = shown.length > MAX_NAMED ? `, and ${shown.length - MAX_NAMED} more` : "";
  return `${file}:${line}: ignored, because project files may not set these keys: ${shown.slice(0, MAX_NAMED).join(", ")}${more}. Move them to your own settings if you want them.`;
}

/** Rebuilds settings that contain only these parts. */
export function rebuild(parts: readonly Judged[]): SettingsFile {
  const root: Tree = new Map();
  for (const { path, value } of parts) {
    const isItem = typeof path.at(-1) === "number";
    const keys = (isItem ? path.slice(0, -1) : path).map(String);
    const inner = keys.slice(0, -1).reduce(branch, root);
    const key = keys.at(-1) ?? "";
    const before = inner.get(key);
    if (isItem && Array.isArray(before)) before.push(value);
    else inner.set(key, isItem ? [value] : value);
  }
  return settingsSchema.parse(toObject(root));
}

type Tree = Map<string, unknown>;

function branch(tree: Tree, key: string): Tree {
  const found = tree.get(key);
  if (found instanceof Map) return found;
  const made: Tree = new Map();
  tree.set(key, made);
  return made;
}

function toObject(tree: Tree): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...tree].map(([key, value]) => [key, value instanceof Map ? toObject(value) : value]));
}
