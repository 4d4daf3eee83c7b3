import type { JsonObject } from "../../contracts/message.ts";
import type { Decision } from "../../contracts/permission.ts";
import {
  entriesOf,
  type ImportLine,
  type ImportReader,
  isWider,
  leftOut,
  objectOf,
  otherKeys,
  rule,
  server,
  setting,
  shown,
  shownServer,
  textOf,
  textsIn,
  toolRule,
} from "./import-line.ts";

/** Quoll's tools, by their names in Gemini CLI. */
const TOOLS: Readonly<Record<string, string>> = {
  run_shell_command: "Bash",
  ShellTool: "Bash",
  read_file: "Read",
  ReadFileTool: "Read",
  read_many_files: "Read",
  glob: "Glob",
  search_file_content: "Grep",
  grep_search: "Grep",
  replace: "Edit",
  EditTool: "Edit",
  write_file: "Edit",
  WriteFileTool: "Edit",
  list_directory: "Glob",
  web_fetch: "WebFetch",
};
const MODES: Readonly<Record<string, string>> = { default: "default", auto_edit: "acceptEdits", plan: "plan" };
const DECISIONS: Readonly<Record<string, Decision>> = { allow: "allow", deny: "deny", ask_user: "ask" };
const READ_KEYS: ReadonlySet<string> = new Set([
  "$schema",
  "mcpServers",
  "tools",
  "coreTools",
  "excludeTools",
  "general",
  "hooks",
]);
const SPECIAL = /[*?()"'\\$`;&|<>]/;

/** `settings.json` of Gemini CLI. */
export const readGeminiSettings: ImportReader = ({ data }) => {
  const tools = objectOf(data["tools"]);
  const core = [...textsIn(tools["core"]), ...textsIn(data["coreTools"])];
  return [
    ...entriesOf(data["mcpServers"]).flatMap(([name, value]) => geminiServer(name, objectOf(value))),
    ...textsIn(tools["allowed"]).map((text) => namedRule("allow", text, `tools.allowed: ${text}`)),
    ...[...textsIn(tools["exclude"]), ...textsIn(data["excludeTools"])].map((text) =>
      namedRule("deny", text, `tools.exclude: ${text}`),
    ),
    ...(core.length > 0 ? [leftOut("tools.core", "start with --tools to give the model fewer tools")] : []),
    ...mode(textOf(objectOf(data["general"])["defaultApprovalMode"]) ?? textOf(tools["approvalMode"])),
    ...(data["hooks"] === undefined
      ? []
      : [leftOut("hooks", "they expect the input and the tool names of Gemini CLI")]),
    ...otherKeys(data, READ_KEYS),
  ];
};

function mode(name: string | undefined): readonly ImportLine[] {
  if (name === undefined) return [];
  const read = `general.defaultApprovalMode: ${name}`;
  const wanted = MODES[name];
  if (wanted === undefined)
    return [leftOut(read, "start with --permission-mode if you want a session without questions")];
  return [setting(["permissions", "defaultMode"], wanted, read)];
}

/** A rule such as `run_shell_command(git)`, whose text is the beginning of a command. */
function namedRule(decision: Decision, text: string, read: string): ImportLine {
  const [, name = "", prefix] = /^([\w.-]+)(?:\((.*)\))?$/.exec(text) ?? [];
  const tool = TOOLS[name];
  if (tool === undefined) return leftOut(read, "Quoll has no such tool");
  if (prefix === undefined || isWider(decision, tool)) return toolRule(decision, tool, read);
  if (tool !== "Bash" || SPECIAL.test(prefix)) return leftOut(read, "a rule of Quoll can't hold this text");
  return rule(decision, `Bash(${prefix.trim()} *)`, read);
}

function geminiServer(name: string, given: JsonObject): readonly ImportLine[] {
  const { command, args, env, cwd, url, httpUrl, headers, timeout, trust } = given;
  const address = textOf(httpUrl) ?? textOf(url);
  const read = `mcpServers.${name}: ${shownServer({ command, url: address })}`;
  const shared = {
    ...(typeof timeout === "number" && { timeout }),
    ...(Array.isArray(given["includeTools"]) && { enabledTools: given["includeTools"] }),
    ...(Array.isArray(given["excludeTools"]) && { disabledTools: given["excludeTools"] }),
  };
  const program = {
    command,
    ...(Array.isArray(args) && { args: args.map(withBraces) }),
    ...(env !== undefined && { env: references(env) }),
    ...(textOf(cwd) !== undefined && { cwd }),
  };
  const remote = {
    type: textOf(httpUrl) === undefined ? "sse" : "http",
    url: address,
    ...(headers !== undefined && { headers: references(headers) }),
  };
  const isProgram = textOf(command) !== undefined;
  if (!isProgram && address === undefined) return [leftOut(read, "it has no command and no url")];
  const line = server(name, { ...(isProgram ? program : remote), ...shared }, read);
  return trust === true
    ? [line, leftOut(`mcpServers.${name}.trust`, `Quoll asks about its tools; allow them with the rule mcp__${name}`)]
    : [line];
}

function references(values: unknown): JsonObject {
  return Object.fromEntries(entriesOf(values).map(([key, value]) => [key, withBraces(value)]));
}

/** `$NAME` as `${NAME}`. */
function withBraces(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/\$([A-Za-z_]\w*)/g, "$${$1}") : value;
}

/** A file of policies, in TOML. Priorities are not needed: the strictest rule wins. */
export const readGeminiPolicy: ImportReader = ({ data }) => {
  const rules = Array.isArray(data["rule"]) ? data["rule"] : [];
  return rules.flatMap((one) => policy(objectOf(one)));
};

function policy(given: JsonObject): readonly ImportLine[] {
  const { toolName, commandPrefix, mcpName, modes, subagent, toolAnnotations } = given;
  const decision = DECISIONS[shown(given["decision"])];
  const tools = [toolName ?? []].flat().map(shown);
  const prefixes = [commandPrefix ?? []].flat().map(shown);
  const read = `[[rule]] ${[textOf(mcpName), ...tools, ...prefixes, given["decision"]].filter(Boolean).join(" ")}`;
  if (!decision) return [leftOut(read, "its decision is unknown")];
  if ([given["commandRegex"], given["argsPattern"], subagent, toolAnnotations].some((field) => field !== undefined))
    return [leftOut(read, "a rule of Quoll can't hold its condition")];
  if (decision === "allow" && modes !== undefined) return [leftOut(read, "it counts only in some modes")];
  const name = textOf(mcpName);
  if (name !== undefined)
    return tools.length === 0
      ? [rule(decision, `mcp__${name}`, read)]
      : tools.map((tool) => rule(decision, `mcp__${name}__${tool}`, read));
  if (prefixes.length > 0) return prefixes.map((prefix) => namedRule(decision, `run_shell_command(${prefix})`, read));
  return tools.map((tool) => namedRule(decision, tool, read));
}
