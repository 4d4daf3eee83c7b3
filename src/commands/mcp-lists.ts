import { oneLine } from "@quoll/terminal-text/one-line";
import { padText } from "@quoll/terminal-text/truncate-text";
import type { CommandResult } from "../contracts/command-result.ts";
import type { McpResource, McpResourceTemplate, McpServerState } from "../contracts/mcp.ts";
import type { McpView } from "../contracts/mcp-view.ts";

const MAX_COLUMNS = 300;
const MAX_NAME_COLUMNS = 60;

/** Lists the resources of a server by the names that a prompt uses. */
export function resourcesView(name: string, mcp: McpView): CommandResult {
  const { resources } = mcp.contents(name);
  const lines = resources.map((one) => resourceLine(one));
  const none = [`The MCP server ${name} has no resources.`];
  const hint = ["", "Write such a word into a prompt to attach the resource. Fill in the {parts} of a template."];
  return { kind: "view", title: `Resources of ${name}`, lines: lines.length > 0 ? [...lines, ...hint] : none };
}

/** Lists the prompts of a server as commands. */
export function promptsView(name: string, mcp: McpView): CommandResult {
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
export function logView({ name, error, warnings = [], notes }: McpServerState, mcp: McpView): CommandResult {
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
