import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ProjectSettings } from "../../app/session/settings/read-project-settings.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { fitSetting } from "../../contracts/fit-setting.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import type { Decision } from "../../contracts/permission.ts";
import type { Directories } from "../../platform/directories.ts";
import { entryExists, realPathOrSelf } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { assertMaySet } from "../../services/config/edit-settings.ts";
import { parseSettings } from "../../services/config/parse-settings.ts";
import { MAX_SETTINGS_BYTES } from "../../services/config/read-layer.ts";
import { findSettingKey } from "../../services/config/setting-keys.ts";
import { type ImportLine, type ImportPart, NO_SETTING } from "../../services/importing/import-line.ts";
import {
  type ImportedFile,
  type ImportTool,
  importFile,
  importFiles,
} from "../../services/importing/import-sources.ts";
import { checkServerEntry, parseServerEntries } from "../../services/mcp/config/parse-config.ts";
import { serverFiles } from "../../services/mcp/sources/server-files.ts";
import { compileRules } from "../../services/permission/rules/compile-rules.ts";
import { RuleSyntaxError, splitRule } from "../../services/permission/rules/rule-syntax.ts";
import { resolveAlias } from "../../services/provider/catalog.ts";
import { KEYBINDINGS_FILE } from "../session/open-keybindings-file.ts";
import { type KeysPart, keysIn, placeKeys } from "./plan-keys.ts";

/** A line with its outcome: imported, already there, or left out with the reason in `why`. */
export type PlannedLine = ImportLine & { readonly state: "new" | "present" | "left out"; readonly target: string };

export type PlannedFile = Omit<ImportedFile, "lines"> & { readonly lines: readonly PlannedLine[] };

export type ImportParts = {
  readonly project: Pick<ProjectSettings["project"], "root">;
  readonly paths: Pick<ProjectSettings["paths"], "user" | "own" | "managed">;
  readonly own: Directories;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTrusted: boolean;
};

/** Names in rules that are not tools, or that are tools only in sessions with servers. */
const OTHER_RULES: ReadonlySet<string> = new Set(["*", "Cd", "ListMcpResources", "ReadMcpResource"]);
const DECISIONS = ["allow", "ask", "deny"] as const satisfies readonly Decision[];
/** Parts of a repository's file that would run its programs. */
const RUNNING: ReadonlySet<string> = new Set(["hooks", "env", "apiKeyHelper", "sandbox", "statusLine"]);
/** The reason for a line of a project's file while the folder is not trusted. */
export const UNTRUSTED = "this folder is not trusted";
const OF_REPOSITORY =
  "a file of the repository could run programs: put it into .quoll/settings.json, which is shown first";

/** Reads the files of other programs and decides about each line. Writes nothing. */
export async function planImport(parts: ImportParts, tools?: readonly ImportTool[]): Promise<readonly PlannedFile[]> {
  const { own, project, env } = parts;
  const places = { home: realPathOrSelf(own.home), projectRoot: project.root, env };
  const files = importFiles(places).filter(({ tool }) => tools?.includes(tool) ?? true);
  const read = await Promise.all(files.map(importFile));
  const targets = new Targets(parts);
  const planned: PlannedFile[] = [];
  for (const file of read) {
    const lines: PlannedLine[] = [];
    for (const line of file.lines) lines.push(await planLine(line, file, { parts, targets }));
    // The file of a program's state is read twice, and mostly contains nothing for this project.
    if (lines.length > 0) planned.push({ ...file, lines });
  }
  return planned;
}

type Planning = { readonly parts: ImportParts; readonly targets: Targets };

async function planLine(line: ImportLine, file: ImportedFile, planning: Planning): Promise<PlannedLine> {
  const { part } = line;
  return part?.kind === "keys" ? planKeys(line, part, planning) : planOther(line, part, file, planning);
}

async function planKeys(line: ImportLine, keys: KeysPart, { targets }: Planning): Promise<PlannedLine> {
  const target = targets.fileOf(keys, "user");
  const placed = placeKeys(keys);
  if ("why" in placed) return { ...line, why: placed.why, state: "left out", target };
  const { part, note, isDefault } = placed;
  const before = await targets.valueOf(part, target);
  const known: PlannedLine = { ...line, part, state: "present", target };
  if (before === part.action || (before === undefined && isDefault)) return known;
  if (before !== undefined)
    return { ...known, why: "you already have another binding for these keys", state: "left out" };
  targets.take(part, target, part.action);
  return { ...known, ...(note !== undefined && { note }), state: "new" };
}

async function planOther(
  line: ImportLine,
  part: Exclude<ImportPart, KeysPart> | undefined,
  file: ImportedFile,
  { parts, targets }: Planning,
): Promise<PlannedLine> {
  const target = part ? targets.fileOf(part, file.scope) : "";
  const leave = (why: string): PlannedLine => ({ ...line, why, state: "left out", target });
  if (!part) return { ...line, state: "left out", target };
  if (file.isOfProject && !parts.isTrusted) return leave(UNTRUSTED);
  if (file.isOfProject && (part.kind === "server" || RUNNING.has(part.path[0] ?? ""))) return leave(OF_REPOSITORY);
  const why = part.kind === "server" ? serverProblem(part) : settingProblem(part, file.scope, parts);
  if (why !== undefined) return leave(why);
  const before = await targets.valueOf(part, target);
  const isList = part.kind === "setting" && part.isItem;
  const value = part.kind === "server" ? part.entry : part.value;
  const isPresent = isList ? Array.isArray(before) && before.some((one) => isSame(one, value)) : isSame(before, value);
  if (isPresent) return { ...line, state: "present", target };
  if (!isList && before !== undefined) return leave("you already have another value for this setting");
  const note = line.note ?? (await toolNote(part));
  targets.take(part, target, isList ? [...(Array.isArray(before) ? before : []), value] : value);
  return { ...line, ...(note !== undefined && { note }), state: "new", target };
}

/** Says that a rule has no effect yet; it holds once Quoll has the tool. */
async function toolNote(part: ImportPart): Promise<string | undefined> {
  if (part.kind !== "setting" || part.path[0] !== "permissions" || typeof part.value !== "string") return undefined;
  if (!DECISIONS.some((decision) => part.path[1] === decision)) return undefined;
  const { tool } = splitRule(part.value);
  const { BUILTIN_TOOLS } = await import("../../app/agent/builtin-tools.ts");
  const isKnown =
    tool.startsWith("mcp__") || OTHER_RULES.has(tool) || BUILTIN_TOOLS.some(({ spec }) => spec.name === tool);
  return isKnown ? undefined : `no effect yet: Quoll has no tool ${tool}`;
}

/** Compares as JSON, because parsers make objects with different prototypes. */
function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown) => (value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown));
  return isDeepStrictEqual(plain(one), plain(other));
}

function serverProblem({ name, entry }: Extract<ImportPart, { kind: "server" }>): string | undefined {
  const { problem } = checkServerEntry(name, entry);
  return problem;
}

type SettingPart = Extract<ImportPart, { kind: "setting" }>;

/** The reason why Quoll can't import a setting; undefined if it can. */
function settingProblem(part: SettingPart, scope: "user" | "own", parts: ImportParts): string | undefined {
  const name = part.path.map((one) => (one.includes(".") ? `"${one}"` : one)).join(".");
  const key = orUndefined(() => findSettingKey(name));
  if (!key) return NO_SETTING;
  const { setting } = key;
  const wanted = part.isItem && setting.type === "list" ? setting.of : setting;
  if ("misfit" in fitSetting(part.value, wanted)) return "Quoll does not take this value";
  const file = parts.paths[scope];
  try {
    assertMaySet({ key, scope, file }, part.isItem ? [part.value] : part.value);
    return ruleProblem(part, parts) ?? modelProblem(part) ?? folderProblem(part, parts);
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error;
    return errorMessage(error.cause instanceof RuleSyntaxError ? error.cause : error).replace(/\.$/, "");
  }
}

/** @throws {UserFacingError} the rule is invalid. */
function ruleProblem({ path, value }: SettingPart, { project, own }: ImportParts): string | undefined {
  const decision = DECISIONS.find((one) => path.join(".") === `permissions.${one}`);
  if (!decision || typeof value !== "string") return undefined;
  const { ignored } = compileRules([{ rule: value, decision, file: "the import", layer: "user", base: project.root }], {
    roots: [project.root],
    home: own.home,
    isCaseInsensitive: false,
    realPath: realPathOrSelf,
    isTrusted: true,
  });
  return ignored[0]?.why;
}

/** A session does not start if a further folder is missing. */
function folderProblem({ path, value }: SettingPart, { project, own }: ImportParts): string | undefined {
  if (path.join(".") !== "permissions.additionalDirectories" || typeof value !== "string") return undefined;
  return entryExists(resolve(project.root, value.replace(/^~(?=\/|$)/, own.home)))
    ? undefined
    : "there is no such folder";
}

function modelProblem({ path, value }: SettingPart): string | undefined {
  if (path.join(".") !== "model" || typeof value !== "string") return undefined;
  const isKnown = resolveAlias(value) !== value || /^claude-/.test(value);
  return isKnown ? undefined : "choose the model yourself (quoll models)";
}

/** The files to write, with their current and their future content. */
class Targets {
  readonly #parts: ImportParts;
  readonly #read = new Map<string, Promise<unknown>>();
  readonly #taken = new Map<string, unknown>();

  constructor(parts: ImportParts) {
    this.#parts = parts;
  }

  fileOf({ kind }: ImportPart, scope: "user" | "own"): string {
    const { own, project, paths } = this.#parts;
    if (kind === "keys") return join(own.config, KEYBINDINGS_FILE);
    if (kind === "setting") return paths[scope];
    const { own: ownSettingsFile, managed: managedSettingsFile } = paths;
    const files = serverFiles({ config: own.config, projectRoot: project.root, ownSettingsFile, managedSettingsFile });
    return scope === "user" ? files.user : files.local;
  }

  /** The value in the file, or the value that an earlier line puts there. */
  async valueOf(part: ImportPart, file: string): Promise<unknown> {
    const path = pathOf(part);
    const key = [file, ...path].join("\n");
    if (this.#taken.has(key)) return this.#taken.get(key);
    const reading = this.#read.get(file) ?? contentOf(file, part.kind);
    this.#read.set(file, reading);
    return path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), await reading);
  }

  take(part: ImportPart, file: string, value: unknown): void {
    this.#taken.set([file, ...pathOf(part)].join("\n"), value);
  }
}

async function contentOf(file: string, kind: ImportPart["kind"]): Promise<unknown> {
  const text = (await readSmallText(file, MAX_SETTINGS_BYTES)) ?? "";
  if (kind === "setting") return parseSettings(text, file).value;
  if (kind === "keys") return keysIn(text);
  return { mcpServers: text.trim() === "" ? {} : parseServerEntries(text, file) };
}

/** The place of a part in its file. */
export function pathOf(part: ImportPart): readonly string[] {
  if (part.kind === "keys") return [`${part.contexts[0]} ${part.keys}`];
  return part.kind === "setting" ? part.path : ["mcpServers", part.name];
}
