import { fitSetting } from "../../contracts/fit-setting.ts";
import type { Decision } from "../../contracts/permission.ts";
import { STATUS_LINE } from "../../contracts/settings-table.ts";
import {
  entriesOf,
  type ImportLine,
  type ImportReader,
  item,
  leftOut,
  NO_SETTING,
  objectOf,
  type ReadFile,
  rule,
  server,
  setting,
  shown,
  shownServer,
  textOf,
  textsIn,
} from "./import-line.ts";
import { readHooks } from "./read-hooks.ts";

const DECISIONS = ["deny", "ask", "allow"] as const satisfies readonly Decision[];
/** A rule for a path with one leading slash, which means the folder of the settings file. */
const PATH_RULE = /^(?:Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep|LS|Cd)\(\/[^/]/;
/** Variables that configure Claude Code itself. */
const OWN_VARIABLES = /^(?:ANTHROPIC_|CLAUDE_|DISABLE_|ENABLE_|MCP_|OTEL_|MAX_|BASH_|USE_|API_|VERTEX_|CLOUD_ML_)/;
const ASKED_ABOUT = "Quoll asks about each server of .mcp.json itself";
const MAX_KEPT_DAYS = 100_000;
/** Keys with the same name and meaning. */
const SAME = ["language", "apiKeyHelper"] as const;
const REASONS: Readonly<Record<string, string>> = {
  $schema: "",
  permissions: "",
  env: "",
  hooks: "",
  sandbox: "",
  model: "",
  outputStyle: "",
  language: "",
  apiKeyHelper: "",
  enableAllProjectMcpServers: ASKED_ABOUT,
  enabledMcpjsonServers: ASKED_ABOUT,
  disabledMcpjsonServers: ASKED_ABOUT,
  enabledPlugins: "install the plugin with Quoll",
  statusLine: "",
  respondToBashCommands: "",
  prefersReducedMotion: "",
  cleanupPeriodDays: "",
};

/** `settings.json` and `settings.local.json` of Claude Code. */
export const readClaudeSettings: ImportReader = (file) => {
  const { data } = file;
  return [
    ...permissions(file),
    ...readHooks(data["hooks"]),
    ...variables(data["env"]),
    ...sandbox(data["sandbox"]),
    ...model(data["model"]),
    ...style(data["outputStyle"]),
    ...statusLine(data["statusLine"]),
    ...respondToShell(file),
    ...reducedMotion(file),
    ...keptDays(file),
    ...SAME.flatMap((key) => (data[key] === undefined ? [] : [setting([key], data[key])])),
    ...Object.keys(data).flatMap((key) => {
      const why = REASONS[key] ?? NO_SETTING;
      return why === "" ? [] : [leftOut(key, why)];
    }),
  ];
};

function permissions({ data, isOfUser, lineOf }: ReadFile): readonly ImportLine[] {
  const given = objectOf(data["permissions"]);
  const rules = DECISIONS.flatMap((decision) =>
    listOf(given[decision]).map((entry, at): ImportLine => {
      const line = lineOf(["permissions", decision, at]);
      const text = textOf(entry);
      const name = `permissions.${decision}: ${shown(entry)}`;
      if (text === undefined) return { ...leftOut(name, "it is not a rule"), ...(line !== undefined && { line }) };
      const read = rule(decision, text);
      const isRelative = isOfUser && PATH_RULE.test(text);
      const taken = isRelative ? leftOut(read.read, "its path is relative to the folder of that settings file") : read;
      return { ...taken, ...(line !== undefined && { line }) };
    }),
  );
  const { defaultMode, additionalDirectories, disableBypassPermissionsMode, disableAutoMode, ...others } = given;
  const bans = Object.entries({ disableBypassPermissionsMode, disableAutoMode });
  const known: ReadonlySet<string> = new Set(DECISIONS);
  return [
    ...rules,
    ...mode(textOf(defaultMode)),
    ...textsIn(additionalDirectories).map((folder) => {
      const read = `permissions.additionalDirectories: ${folder}`;
      if (isOfUser && !/^[/~]/.test(folder)) return leftOut(read, "it is relative to another folder in each project");
      return item(["permissions", "additionalDirectories"], folder, read);
    }),
    ...bans.flatMap(([key, value]) => (value === undefined ? [] : [setting(["permissions", key], value)])),
    ...Object.keys(others).flatMap((key) => (known.has(key) ? [] : [leftOut(`permissions.${key}`, NO_SETTING)])),
  ];
}

/** A value that is no list counts as its only entry. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}

/** The mode at the start. A mode without questions is meant for one session only. */
function mode(name: string | undefined): readonly ImportLine[] {
  if (name === undefined) return [];
  const read = `permissions.defaultMode: ${name}`;
  if (name === "bypassPermissions" || name === "auto")
    return [leftOut(read, `start with --permission-mode ${name} if you want it`)];
  return [setting(["permissions", "defaultMode"], name, read)];
}

function variables(env: unknown): readonly ImportLine[] {
  return entriesOf(env).map(([name, value]) =>
    OWN_VARIABLES.test(name)
      ? leftOut(`env.${name}`, "it configures Claude Code itself")
      : typeof value === "object"
        ? leftOut(`env.${name}: ${shown(value)}`, "it is not a text")
        : setting(["env", name], shown(value)),
  );
}

function sandbox(given: unknown, path: readonly string[] = ["sandbox"]): readonly ImportLine[] {
  return entriesOf(given).flatMap(([key, value]) => {
    const at = [...path, key];
    if (Array.isArray(value)) return value.map((one) => item(at, one, `${at.join(".")}: ${shown(one)}`));
    if (typeof value === "object" && value !== null) return sandbox(value, at);
    return [setting(at, value, `${at.join(".")}: ${shown(value)}`)];
  });
}

function model(name: unknown): readonly ImportLine[] {
  const text = textOf(name);
  if (text === undefined) return [];
  return [
    text === "default" ? leftOut("model: default", "it chooses nothing") : setting(["model"], text, `model: ${text}`),
  ];
}

function style(name: unknown): readonly ImportLine[] {
  const text = textOf(name);
  if (text === undefined) return [];
  const read = `outputStyle: ${text}`;
  if (text.toLowerCase() === "default") return [leftOut(read, "it chooses nothing")];
  return [text === "Proactive" ? leftOut(read, "Quoll has no such style") : setting(["outputStyle"], text, read)];
}

/** A turn that starts without a prompt costs money, so no file of a repository decides about it. */
function respondToShell(file: ReadFile): readonly ImportLine[] {
  return ownSwitch(file, "respondToBashCommands", ["terminal", "respondToShell"]);
}

function reducedMotion(file: ReadFile): readonly ImportLine[] {
  return ownSwitch(file, "prefersReducedMotion", ["terminal", "reducedMotion"]);
}

function ownSwitch(file: ReadFile, name: string, path: readonly string[]): readonly ImportLine[] {
  return ownValue(file, name, { path, misfit: (given) => typeof given !== "boolean" && "it is not true or false" });
}

/** How long sessions are kept. 0 keeps none there, which no setting says here. */
function keptDays(file: ReadFile): readonly ImportLine[] {
  const isDays = (given: unknown) => Number.isInteger(given) && Number(given) >= 1 && Number(given) <= MAX_KEPT_DAYS;
  const misfit = (given: unknown) => !isDays(given) && `it is not a number of days from 1 to ${MAX_KEPT_DAYS}`;
  return ownValue(file, "cleanupPeriodDays", { path: ["sessions", "keepDays"], misfit });
}

type OwnValue = {
  /** Of the setting in Quoll. */
  readonly path: readonly string[];
  /** Why the value can't be taken; false for one that can. */
  readonly misfit: (given: unknown) => string | false;
};

/** A value that only the person's own settings may set. */
function ownValue({ data, isOfUser }: ReadFile, name: string, { path, misfit }: OwnValue): readonly ImportLine[] {
  const given = data[name];
  if (given === undefined) return [];
  const read = `${name}: ${shown(given)}`;
  const why = misfit(given) || (!isOfUser && "only your own settings set it");
  return [why ? leftOut(read, why) : setting(path, given, read)];
}

function statusLine(given: unknown): readonly ImportLine[] {
  if (given === undefined) return [];
  const { command, padding, refreshInterval } = objectOf(given);
  const read = fitSetting({ type: "command", command, padding, refreshInterval }, STATUS_LINE);
  const text = textOf(command);
  if ("misfit" in read || text === undefined)
    return [leftOut("statusLine", "it has no command, or a value of another type")];
  return [setting(["statusLine"], read.value, `statusLine: ${text}`)];
}

/** The servers for all projects in `.claude.json`. */
export const readClaudeServers: ImportReader = ({ data }) => servers(data["mcpServers"], "mcpServers");

/** The servers that `.claude.json` has for one project. @param root The project's folder. */
export function readClaudeProject(root: string): ImportReader {
  return ({ data }) => servers(objectOf(objectOf(data["projects"])[root])["mcpServers"], `projects["${root}"]`);
}

function servers(given: unknown, place: string): readonly ImportLine[] {
  return entriesOf(given).map(([name, value]) => {
    const entry = objectOf(value);
    const read = `${place}.${name}: ${shownServer(entry)}`;
    return entry["type"] === "ws" ? leftOut(read, "Quoll has no web sockets for servers") : server(name, entry, read);
  });
}
