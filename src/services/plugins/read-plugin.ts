import { basename, dirname, join, relative, resolve } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { readHookTable } from "../../contracts/hook-table.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import type { Plugin, PluginPath } from "../../contracts/plugin.ts";
import { namesIn } from "../../platform/files/list-folder.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";
import { readOrProblem } from "../../platform/read-small-file.ts";
import { COMPONENT_KEYS, type Manifest, manifestSchema, PLUGIN_NAME, parseObject } from "./manifest.ts";

const MANIFEST = ".claude-plugin/plugin.json";
const MAX_PROBLEM_COLUMNS = 300;
const MAX_DESCRIPTION_COLUMNS = 500;
const MAX_VERSION_COLUMNS = 60;
const MAX_AGENT_COLUMNS = 60;

/** Parts of published plugins that Quoll does not use, with the files or fields that declare them. */
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  "language servers": [".lsp.json", "lspServers"],
  "programs for the search path": ["bin"],
  monitors: ["monitors", "monitors/monitors.json"],
  themes: ["themes"],
  channels: ["channels"],
};

export type PluginSource = {
  /** The plugin's folder; absolute, links resolved. */
  readonly root: string;
  readonly marketplace: string;
  /** The folder below which each plugin has its own data. */
  readonly dataFolder: string;
  /**
   * The plugin's entry in its marketplace. `isWhole`: only the entry defines the parts of the plugin (`strict: false`).
   */
  readonly entry?: { readonly fields: Manifest; readonly isWhole: boolean };
  /** The name for a plugin that has none; by default the name of the folder. */
  readonly folderName?: string;
};

/**
 * Reads the manifest and the lists of a plugin, in the layout that Claude Code publishes. A part that can't be used costs a
 * problem, not the plugin.
 * @throws {UserFacingError} the manifest is malformed, or contradicts the marketplace.
 */
export function readPlugin({ root, marketplace, dataFolder, entry, folderName }: PluginSource): Plugin {
  const problems: string[] = [];
  const reading: Reading = { root, problem: (what) => problems.push(oneLine(what, MAX_PROBLEM_COLUMNS)) };
  const own = readManifest(root);
  const declared = COMPONENT_KEYS.filter((key) => own[key] !== undefined);
  if (entry?.isWhole && declared.length > 0) {
    const what = `its ${MANIFEST} declares ${declared.join(", ")}, but its marketplace says \`strict: false\``;
    throw new UserFacingError(`The plugin in ${root} can't be used: ${what}.`);
  }
  const manifest: Manifest = { ...entry?.fields, ...defined(own) };
  const name = entry?.fields.name ?? manifest.name ?? folderName ?? basename(root);
  if (!PLUGIN_NAME.test(name)) throw new UserFacingError(`The plugin in ${root} needs a name in ${MANIFEST}.`);
  // An entry that is the whole definition names each part, because several plugins can share one folder.
  const isScanned = !(entry?.isWhole && COMPONENT_KEYS.some((key) => entry.fields[key] !== undefined));
  const usual = (folder: string) => (isScanned ? folder : undefined);
  const data = join(dataFolder, `${name}-${marketplace}`);
  const files = (field: "agents" | "commands" | "outputStyles", folder: string) =>
    inside(filePaths(field, { value: manifest[field], usual: usual(folder) }, reading), reading);
  const agentFiles = files("agents", "agents");
  const hooks = { field: "hooks", value: manifest.hooks, usual: usual("hooks/hooks.json") } as const;
  const servers = { field: "mcpServers", value: manifest.mcpServers, usual: usual(".mcp.json") } as const;
  return {
    name,
    id: `${name}@${marketplace}`,
    root,
    data,
    ...(manifest.version !== undefined && { version: oneLine(manifest.version, MAX_VERSION_COLUMNS) }),
    ...(manifest.description !== undefined && { description: oneLine(manifest.description, MAX_DESCRIPTION_COLUMNS) }),
    skills: inside(skillPaths(manifest.skills, reading, isScanned), reading),
    commands: files("commands", "commands"),
    styles: files("outputStyles", "output-styles"),
    agents: markdownNames(agentFiles).map((name) => oneLine(name, MAX_AGENT_COLUMNS)),
    agentFiles,
    hooks: tablesOf(hooks, reading).flatMap((table) => hooksOf(table, { name, root, data }, reading)),
    // A later entry replaces an earlier one.
    servers: Object.assign({}, ...tablesOf(servers, reading).map(({ table }) => table)),
    unsupported: Object.entries(UNSUPPORTED).flatMap(([what, marks]) =>
      marks.some((mark) => manifest[mark] !== undefined || (isScanned && entryExists(join(root, mark)))) ? [what] : [],
    ),
    problems,
  };
}

/** Empty without a file. @throws {UserFacingError} it is malformed. */
function readManifest(root: string): Manifest {
  const file = join(root, MANIFEST);
  if (!entryExists(file)) return {};
  const fail = (what: string): never => {
    throw new UserFacingError(`The plugin in ${root} can't be used: ${oneLine(what, MAX_PROBLEM_COLUMNS)}.`);
  };
  if (!isInside(root, realPathOrSelf(file))) return fail(`${MANIFEST} leads out of the plugin`);
  const parsed = manifestSchema.safeParse(readObject(file, { root, problem: fail }));
  return parsed.success ? parsed.data : fail(`${MANIFEST}: \`name\` must be letters, digits, ".", "_" and "-"`);
}

function defined(manifest: Manifest): Manifest {
  return Object.fromEntries(Object.entries(manifest).filter(([, value]) => value !== undefined));
}

/** Removes paths that lead outside the plugin through a link. */
function inside(paths: readonly PluginPath[], { root, problem }: Reading): readonly PluginPath[] {
  return paths.filter(({ folder, only = "" }) => {
    const isIn = isInside(root, realPathOrSelf(join(folder, only)));
    if (!isIn) problem(`${join(folder, only).slice(root.length + 1)} leads out of the plugin`);
    return isIn;
  });
}

/** The names of the Markdown files directly in folders of a plugin, without their ending. */
export function markdownNames(paths: readonly PluginPath[]): readonly string[] {
  const files = paths.flatMap(({ folder, only }) => (only === undefined ? (namesIn(folder) ?? []) : [only]));
  return files.filter((file) => file.endsWith(".md")).map((file) => file.slice(0, -".md".length));
}

/** A part of a plugin that is a table, in files or in the manifest. */
type Declared = {
  readonly field: "mcpServers" | "hooks";
  readonly value: unknown;
  /** The file that is read in any case, relative to the plugin; undefined if there is none. */
  readonly usual: string | undefined;
};
type Table = { readonly table: JsonObject; readonly file: string };

/** The tables of files, then that of the manifest; each is below the name of its field, or directly in the file. */
function tablesOf({ field, value, usual }: Declared, reading: Reading): readonly Table[] {
  const inline = isJsonObject(value) ? [{ file: join(reading.root, MANIFEST), content: value }] : [];
  const paths = inline.length > 0 ? [] : pathsOf(field, value, reading);
  const first = usual === undefined ? [] : [join(reading.root, usual)].filter(entryExists);
  const files = [...new Set([...first, ...paths])].map((file) => ({ file, content: readObject(file, reading) }));
  return [...files, ...inline].flatMap(({ file, content }) => {
    const inner = content?.[field];
    return content ? [{ file, table: isJsonObject(inner) ? inner : content }] : [];
  });
}

/** A hook that does not fit costs a problem, not the others. */
function hooksOf(
  { table, file }: Table,
  plugin: NonNullable<DeclaredHook["plugin"]>,
  { problem }: Reading,
): readonly DeclaredHook[] {
  const { description: _, ...events } = table;
  const read = readHookTable(events, (text) => problem(`hooks: ${text}`));
  return read.map((one) => ({ ...one, file, layer: "user", plugin }));
}

const MAX_FILE_BYTES = 1024 * 1024;

/** The JSON object of a plugin's file; undefined, with a problem, if it can't be read. */
function readObject(file: string, { root, problem }: Reading): JsonObject | undefined {
  const shown = relative(root, file);
  const read = readOrProblem(file, MAX_FILE_BYTES);
  if ("problem" in read) {
    problem(`${shown} can't be read (${read.problem})`);
    return undefined;
  }
  try {
    return parseObject(read.bytes.toString("utf8"));
  } catch (error) {
    problem(`${shown}: ${errorMessage(error)}`);
    return undefined;
  }
}

/** The folder of a plugin, and the problems found in it. */
type Reading = {
  /** Absolute, links resolved. */
  readonly root: string;
  /** Receives one phrase for each part that can't be used. */
  problem(what: string): void;
};

/** The paths of a field: one text or a list of texts. Each path begins with `./` and stays inside the plugin. */
function pathsOf(field: string, value: unknown, reading: Reading): readonly string[] {
  if (value === undefined) return [];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.flatMap((text) => {
    if (typeof text !== "string") {
      reading.problem(`${field} must be a path or a list of paths`);
      return [];
    }
    const path = pathIn(text, reading.root);
    if (path === undefined) reading.problem(`${field}: ${JSON.stringify(text)} is not a path in the plugin`);
    else if (!entryExists(path)) reading.problem(`${field}: there is no ${JSON.stringify(text)}`);
    else return [path];
    return [];
  });
}

/** @returns undefined if the path leads outside the folder. */
function pathIn(text: string, root: string): string | undefined {
  if (text.startsWith("/") || text.includes("\0")) return undefined;
  const path = resolve(root, text);
  return isInside(root, path) && isInside(root, realPathOrSelf(path)) ? path : undefined;
}

/** Folders of skills; a path to a folder with a SKILL.md is one skill. */
function skillPaths(value: unknown, reading: Reading, isScanned: boolean): readonly PluginPath[] {
  const usual = join(reading.root, "skills");
  const own = isScanned && entryExists(usual) ? [usual] : [];
  const named = pathsOf("skills", value, reading);
  const alone = isScanned && own.length + named.length === 0 && isSkill(reading.root) ? [reading.root] : [];
  return [...new Set([...own, ...named, ...alone])].map((path) => (isSkill(path) ? entryOf(path) : { folder: path }));
}

/** Folders and single files; a field replaces the usual folder. */
function filePaths(
  field: string,
  { value, usual }: { readonly value: unknown; readonly usual: string | undefined },
  reading: Reading,
): readonly PluginPath[] {
  if (value !== undefined)
    return pathsOf(field, value, reading).map((path) => (path.endsWith(".md") ? entryOf(path) : { folder: path }));
  const folder = usual === undefined ? undefined : join(reading.root, usual);
  return folder !== undefined && entryExists(folder) ? [{ folder }] : [];
}

function isSkill(folder: string): boolean {
  return entryExists(join(folder, "SKILL.md"));
}

function entryOf(path: string): PluginPath {
  return { folder: dirname(path), only: basename(path) };
}
