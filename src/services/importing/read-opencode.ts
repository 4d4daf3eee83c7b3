import type { JsonObject } from "../../contracts/message.ts";
import type { Decision } from "../../contracts/permission.ts";
import {
  entriesOf,
  type ImportLine,
  type ImportReader,
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

const TOOLS: Readonly<Record<string, string>> = {
  bash: "Bash",
  edit: "Edit",
  read: "Read",
  glob: "Glob",
  grep: "Grep",
  webfetch: "WebFetch",
};
const DECISIONS: readonly Decision[] = ["allow", "ask", "deny"];
const EVERYTHING = "*";
const ASKS_ANYWAY = "Quoll asks without a rule";
const READ_KEYS: ReadonlySet<string> = new Set(["$schema", "permission", "mcp", "model"]);

/** `opencode.json`. In its permissions the last matching rule wins, in Quoll the strictest. */
export const readOpencode: ImportReader = ({ data }) => {
  const model = textOf(data["model"]);
  return [
    ...permissions(data["permission"]),
    ...entriesOf(data["mcp"]).map(([name, value]) => opencodeServer(name, objectOf(value))),
    ...(model === undefined ? [] : [setting(["model"], model, `model: ${model}`)]),
    ...otherKeys(data, READ_KEYS),
  ];
};

function permissions(given: unknown): readonly ImportLine[] {
  if (typeof given === "string")
    return [leftOut(`permission: ${given}`, "it concerns every call; start with --permission-mode")];
  const all = entriesOf(given);
  return all.flatMap(([name, value], at) => {
    const tool = TOOLS[name];
    const read = `permission.${name}`;
    if (tool === undefined)
      return [leftOut(read, name === EVERYTHING ? "it concerns every call" : "Quoll has no such permission")];
    // A later entry for everything replaces this one.
    const isReplaced = all.slice(at + 1).some(([other]) => other === EVERYTHING);
    if (isReplaced) return [leftOut(read, "a later entry replaces it")];
    return typeof value === "string" ? [whole(tool, value, read)] : patterns(tool, entriesOf(value), read);
  });
}

function whole(tool: string, value: string, place: string): ImportLine {
  const read = `${place}: ${value}`;
  const decision = DECISIONS.find((one) => one === value);
  if (!decision) return leftOut(read, "its decision is unknown");
  return decision === "ask" ? leftOut(read, ASKS_ANYWAY) : toolRule(decision, tool, read);
}

function patterns(tool: string, all: readonly (readonly [string, unknown])[], place: string): readonly ImportLine[] {
  return all.map(([pattern, value], at) => {
    const read = `${place} ${JSON.stringify(pattern)}: ${shown(value)}`;
    const decision = DECISIONS.find((one) => one === value);
    if (!decision) return leftOut(read, "its decision is unknown");
    const later = all.slice(at + 1);
    if (decision === "allow" && later.some(([other, next]) => next !== "allow" && covers(other, pattern)))
      return leftOut(read, "a later entry replaces it");
    if (pattern === EVERYTHING) return everything({ tool, decision, read, hasExceptions: later.length > 0 });
    if (pattern.includes("?") || (tool !== "Bash" && decision === "allow"))
      return leftOut(read, "a rule of Quoll would match other calls");
    if (tool !== "Bash" && tool !== "Read" && tool !== "Edit")
      return leftOut(read, "a rule of Quoll can't hold this pattern");
    return rule(decision, `${tool}(${pattern})`, read);
  });
}

type Everything = {
  readonly tool: string;
  readonly decision: Decision;
  readonly read: string;
  readonly hasExceptions: boolean;
};

function everything({ tool, decision, read, hasExceptions }: Everything): ImportLine {
  if (decision === "ask") return leftOut(read, ASKS_ANYWAY);
  if (decision === "deny" && hasExceptions)
    return leftOut(read, "a rule of Quoll would also deny the exceptions; Quoll asks about the other calls");
  return toolRule(decision, tool, read);
}

/** True if each call that matches `inner` matches `outer`; both with `*` for any text. */
function covers(outer: string, inner: string): boolean {
  const source = outer
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*/g, "[\\s\\S]*")
    .replace(/\?/g, "[\\s\\S]");
  return new RegExp(`^${source}$`).test(inner);
}

function opencodeServer(name: string, given: JsonObject): ImportLine {
  const { type, url, enabled } = given;
  const [command, ...args] = textsIn(given["command"]);
  const read = `mcp.${name}: ${shownServer({ command, url })}`;
  const texts = JSON.stringify(given);
  if (texts.includes("{file:")) return leftOut(read, "it takes a value from a file");
  const off = enabled === false ? { disabled: true } : {};
  if (type === "remote" && textOf(url) !== undefined) {
    const headers = references(given["headers"]);
    return server(name, { type: "http", url, ...(Object.keys(headers).length > 0 && { headers }), ...off }, read);
  }
  if (command === undefined) return leftOut(read, "it has no command and no url");
  const env = references(given["environment"]);
  const entry = { command, args: args.map(withVariables), ...(Object.keys(env).length > 0 && { env }), ...off };
  return server(name, entry, read);
}

function references(values: unknown): JsonObject {
  return Object.fromEntries(entriesOf(values).map(([key, value]) => [key, withVariables(shown(value))]));
}

/** `{env:NAME}` as `${NAME}`. */
function withVariables(text: string): string {
  return text.replace(/\{env:(\w+)\}/g, "$${$1}");
}
