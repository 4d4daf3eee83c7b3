import { formatCount } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { tableLines } from "@quoll/terminal-text/table-lines";
import { padText } from "@quoll/terminal-text/truncate-text";
import type { CommandContext } from "../contracts/command.ts";
import type { Choice, CommandResult } from "../contracts/command-result.ts";
import { didYouMean } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { LeftOutServer, McpResource, McpResourceTemplate, McpServerState } from "../contracts/mcp.ts";
import type { McpView } from "../contracts/mcp-view.ts";
import { approval, reconnection, reloading, switching } from "./mcp-actions.ts";
import { loggingIn, loggingOut } from "./mcp-login.ts";
import { MCP_VERBS } from "./mcp-verbs.ts";

type Tool = ReturnType<McpView["tools"]>[number];

const NONE = "There are no MCP servers. `quoll mcp add` adds a server; /mcp reload reads the files again.";
const RELOAD = { label: "Reload", detail: "read the files of servers again", input: "/mcp reload" };

const USAGE =
  "/mcp takes tools, resources, prompts, log, login, logout, reconnect, disable, enable or approve, and a server's name.";

/**
 * Answers `/mcp`.
 * @throws {UserFacingError} there is no such server, or the words are not those of the command.
 */
export async function runMcp(argument: string, { mcp }: Pick<CommandContext, "mcp">): Promise<CommandResult> {
  if (!mcp) return { kind: "text", lines: [NONE] };
  await mcp.known();
  const words = argument.split(/\s+/).filter((word) => word !== "");
  const [first = "", name = "", mark] = words;
  if (first === "") return overview(mcp);
  if (words.length === 1 && first === "reload" && !isKnown(first, mcp)) return reloading(mcp);
  if (words.length === 1 && isKnown(first, mcp)) return serverMenu(first, mcp);
  if (words.length === 1) throw Object.hasOwn(MCP_VERBS, first) ? new UserFacingError(USAGE) : unknown(first, mcp);
  if (first !== "approve" && !mcp.states().some((state) => state.name === name)) throw unknown(name, mcp);
  switch (first) {
    case "tools":
      return toolsView(name, mcp);
    case "resources":
      return resourcesView(name, mcp);
    case "prompts":
      return promptsView(name, mcp);
    case "log":
      return loggedBy(name, mcp);
    case "reconnect":
      return reconnection(name, mcp);
    case "disable":
    case "enable":
      return switching(name, first === "enable", mcp);
    case "login":
      return loggingIn(name, mark, mcp);
    case "logout":
      return loggingOut(name, mcp);
    case "approve":
      return approval({ name, mark }, mcp);
    default:
      throw new UserFacingError(USAGE);
  }
}

function isKnown(name: string, mcp: McpView): boolean {
  return [...mcp.states(), ...mcp.leftOut()].some((server) => server.name === name);
}

function unknown(name: string, mcp: McpView): UserFacingError {
  const known = [...mcp.states(), ...mcp.leftOut()].map((one) => one.name);
  const hint = didYouMean(name, known, `The servers are ${known.join(", ")}.`);
  return new UserFacingError(known.length === 0 ? NONE : `There is no MCP server "${name}". ${hint}`);
}

function overview(mcp: McpView): CommandResult {
  const states = mcp.states();
  const left = mcp.leftOut();
  if (states.length + left.length === 0) return { kind: "text", lines: [NONE] };
  const tools = mcp.tools();
  const rows = [
    ...states.map((state) => ({
      name: state.name,
      scope: state.scope,
      about: about(state, tools),
      brief: inBrief(state, tools),
    })),
    ...left.map(({ name, scope, why }) => ({ name, scope, about: `not started: ${why}`, brief: "not started" })),
  ];
  const choices = rows.map(
    ({ name, scope, about, brief }): Choice => ({
      label: name,
      detail: `${about} · ${scope}`,
      brief: `${brief} · ${scope}`,
      ...(about.startsWith("connected") ? {} : { about: [about] }),
      input: `/mcp ${name}`,
    }),
  );
  return {
    kind: "choose",
    title: "MCP servers",
    choices: [...choices, RELOAD],
    lines: tableLines(
      rows.map(({ name, scope, about }) => [name, padText(scope, "managed".length), about]),
      "  ",
    ),
  };
}

/** The choices for one server; a face without lists gets the server's tools. */
function serverMenu(name: string, mcp: McpView): CommandResult {
  const state = mcp.states().find((one) => one.name === name);
  const left = mcp.leftOut().filter((one) => one.name === name);
  const approve = left.some(({ reason }) => reason === "new" || reason === "changed" || reason === "refused");
  const choices: readonly Choice[] = [
    ...(state ? stateChoices(state) : []),
    ...(approve
      ? [{ label: "Approve", detail: "see what the server starts, and decide", input: `/mcp approve ${name}` }]
      : []),
    { label: "All servers", detail: "", input: "/mcp" },
  ];
  const details = state ? detailLines(state, mcp.tools()) : [];
  const before = [...details, ...left.map(leftLine)];
  const lines = state ? toolLines(state, mcp.tools()) : [];
  return { kind: "choose", title: `MCP server ${name}`, choices, before, lines };
}

function stateChoices(state: McpServerState): readonly Choice[] {
  const { name, status, tools, resources = 0, prompts = 0, warnings = [], hasLogin } = state;
  const list = (label: string, count: number, noun: string): readonly Choice[] =>
    count > 0 ? [{ label, detail: plural(count, noun), input: `/mcp ${label.toLowerCase()} ${name}` }] : [];
  const logged = warnings.length > 0 ? plural(warnings.length, "warning") : "its last lines";
  const isOff = status === "disabled";
  return [
    ...(status === "needs-auth" ? [{ label: "Log in", detail: "with your browser", input: `/mcp login ${name}` }] : []),
    ...list("Tools", tools, "tool"),
    ...list("Resources", resources, "resource"),
    ...list("Prompts", prompts, "prompt"),
    ...(isOff ? [] : [{ label: "Log", detail: logged, input: `/mcp log ${name}` }]),
    ...(isOff ? [] : [{ label: "Reconnect", detail: "restart the server", input: `/mcp reconnect ${name}` }]),
    ...(hasLogin ? [{ label: "Log in again", detail: "for more permissions", input: `/mcp login ${name}` }] : []),
    ...(hasLogin ? [{ label: "Log out", detail: "remove the saved login", input: `/mcp logout ${name}` }] : []),
    isOff
      ? { label: "Enable", detail: "start it again", input: `/mcp enable ${name}` }
      : { label: "Disable", detail: "end it, for this session", input: `/mcp disable ${name}` },
  ];
}

function toolsView(name: string, mcp: McpView): CommandResult {
  const state = mcp.states().find((one) => one.name === name);
  const lines = state ? [...detailLines(state, mcp.tools()), "", ...toolLines(state, mcp.tools())] : [];
  return { kind: "view", title: `MCP server ${name}`, lines };
}

function loggedBy(name: string, mcp: McpView): CommandResult {
  const state = mcp.states().find((one) => one.name === name);
  if (!state) throw unknown(name, mcp);
  return logView(state, mcp);
}

function detailLines(state: McpServerState, tools: readonly Tool[]): readonly string[] {
  const { scope, kind, program, resources = 0, prompts = 0, warnings = [], notes } = state;
  const offers = [
    ...(resources > 0 ? [plural(resources, "resource")] : []),
    ...(prompts > 0 ? [plural(prompts, "prompt")] : []),
  ];
  return [
    `${state.name} (${scope}, ${kind}${program ? `, ${program.name} ${program.version}` : ""})`,
    `  ${about(state, tools)}`,
    ...(offers.length > 0 ? [`  ${offers.join(", ")}`] : []),
    ...notes.map((note) => `  note: ${note}`),
    ...warnings.map((warning) => `  it logged: ${warning}`),
  ];
}

function toolLines(state: McpServerState, all: readonly Tool[]): readonly string[] {
  const shown = toolsOf(state, all).map((tool) => ({ ...tool, name: tool.name.slice(state.toolPrefix.length) }));
  const names = Math.max(0, ...shown.map((tool) => tool.name.length));
  return shown.flatMap((tool) => [
    `  ${padText(tool.name, names)}  ${tool.isDeferred ? "deferred" : "loaded  "}  ${formatCount(tool.tokens).padStart(6)} tokens`,
    ...(tool.summary === "" ? [] : [`    ${tool.summary}`]),
  ]);
}

function leftLine({ scope, why }: LeftOutServer): string {
  return `${scope}: not started: ${why}`;
}

function about(state: McpServerState, all: readonly Tool[]): string {
  if (state.status !== "connected") return [state.status, state.error].filter((part) => part !== undefined).join(": ");
  const tools = toolsOf(state, all);
  const sizes = (some: readonly Tool[]) =>
    `${plural(some.length, "tool")}, ${formatCount(some.reduce((sum, { tokens }) => sum + tokens, 0))} tokens`;
  const loaded = tools.filter(({ isDeferred }) => !isDeferred);
  const deferred = tools.filter(({ isDeferred }) => isDeferred);
  const parts = [
    ...(loaded.length > 0 ? [`${sizes(loaded)} in each request`] : []),
    ...(deferred.length > 0 ? [`${sizes(deferred)} deferred, found with ToolSearch`] : []),
  ];
  return `connected: ${parts.length > 0 ? parts.join("; ") : "no tools"}`;
}

/** The state of a server in a few columns, for a list. */
function inBrief(state: McpServerState, all: readonly Tool[]): string {
  if (state.status !== "connected") return state.status;
  const tools = toolsOf(state, all);
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const where = tools.some(({ isDeferred }) => isDeferred) ? " deferred" : "";
  return tools.length === 0 ? "connected" : `${plural(tools.length, "tool")} · ${formatCount(tokens)} tokens${where}`;
}

function toolsOf({ toolPrefix }: McpServerState, all: readonly Tool[]): readonly Tool[] {
  return all.filter(({ name }) => name.startsWith(toolPrefix));
}

const MAX_COLUMNS = 300;
const MAX_NAME_COLUMNS = 60;

/** Lists the resources of a server by the names that a prompt uses. */
function resourcesView(name: string, mcp: McpView): CommandResult {
  const { resources } = mcp.contents(name);
  const lines = resources.map((one) => resourceLine(one));
  const none = [`The MCP server ${name} has no resources.`];
  const hint = ["", "Write such a word into a prompt to attach the resource. Fill in the {parts} of a template."];
  return { kind: "view", title: `Resources of ${name}`, lines: lines.length > 0 ? [...lines, ...hint] : none };
}

/** Lists the prompts of a server as commands. */
function promptsView(name: string, mcp: McpView): CommandResult {
  const prompts = mcp.contents(name).prompts.map(({ command, hint, description }) => ({
    typed: oneLine([`/${command}`, hint].filter(Boolean).join(" "), MAX_COLUMNS),
    about: oneLine(description ?? "", MAX_COLUMNS),
  }));
  const width = Math.min(MAX_NAME_COLUMNS, Math.max(0, ...prompts.map(({ typed }) => typed.length)));
  const lines = prompts.map(({ typed, about }) => `  ${padText(typed, width)}  ${about}`.trimEnd());
  const none = [`The MCP server ${name} has no prompts.`];
  return { kind: "view", title: `Prompts of ${name}`, lines: lines.length > 0 ? lines : none };
}

/** Shows why a server failed, the warnings that it logged, and the end of its stderr. */
function logView({ name, error, warnings = [], notes }: McpServerState, mcp: McpView): CommandResult {
  const { stderr } = mcp.contents(name);
  const lines = [
    ...(error === undefined ? [] : [`error: ${error}`]),
    ...notes.map((note) => `note: ${note}`),
    ...warnings.map((warning) => `logged: ${warning}`),
    ...(stderr.length > 0 ? ["stderr:", ...stderr.map((line) => `  ${oneLine(line, MAX_COLUMNS)}`)] : []),
  ];
  const none = [`The MCP server ${name} has logged nothing.`];
  return { kind: "view", title: `Log of ${name}`, lines: lines.length > 0 ? lines : none };
}

function resourceLine(one: McpResource | McpResourceTemplate): string {
  const uri = "uri" in one ? one.uri : one.uriTemplate;
  const kind = [one.mimeType, "uri" in one ? undefined : "template"].filter(Boolean).join(", ");
  const about = [one.name === uri ? undefined : one.name, one.description].filter(Boolean).join(": ");
  const parts = [`@${one.server}:${uri}`, kind && `(${kind})`, about && `– ${about}`];
  return `  ${oneLine(parts.filter(Boolean).join(" "), MAX_COLUMNS)}`;
}
