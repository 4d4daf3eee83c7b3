import { formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { padText } from "@quoll/terminal-text/truncate-text";
import type { Command, CommandContext } from "../contracts/command.ts";
import type { CapState } from "../contracts/spend.ts";
import { firstFew } from "../contracts/words.ts";
import { thinkingWord } from "./model.ts";

const NAME_COLUMNS = 12;
const MAX_NAMED = 12;

/** One fact: its name and its lines. */
type Fact = readonly [name: string, lines: readonly string[]];

/** Shows the parts of the session's state that need no request. */
export const statusCommand: Command = {
  name: "status",
  summary: "Show version, session, model, key, settings and servers",
  interactive: true,
  async run(_argument, context, signal) {
    const facts = [
      ...(await sessionFacts(context)),
      ...(await modelFacts(context)),
      ...(await workFacts(context, signal)),
    ];
    return { kind: "view", title: "Status", lines: facts.flatMap(factLines) };
  },
};

function factLines([name, lines]: Fact): readonly string[] {
  return lines.map((line, at) => `  ${padText(at === 0 ? name : "", NAME_COLUMNS)}  ${line}`);
}

async function sessionFacts({ engine, facts, folders }: CommandContext): Promise<readonly Fact[]> {
  const { sessionId, mode } = engine.state;
  const known = await facts?.();
  if (!known)
    return [
      ["session", [sessionId]],
      ["mode", [mode]],
    ];
  const added = (await folders?.())?.list().slice(1) ?? [];
  const { version, name, sessionFile, folder, isTrusted, startedIn, sandbox, settingsFiles } = known;
  return [
    ["Quoll", [version]],
    ["session", [...(name === undefined ? [] : [name]), sessionId, sessionFile ?? "not saved"]],
    [
      "folder",
      [
        `${folder}${isTrusted ? "" : " (not trusted)"}`,
        ...(startedIn === undefined ? [] : [`started in ${startedIn}`]),
        ...added.map((path) => `and ${path}`),
      ],
    ],
    ["mode", [mode]],
    ["sandbox", [sandbox ?? "none: commands run without a sandbox"]],
    ["settings", settingsFiles.length === 0 ? ["none: the defaults apply"] : settingsFiles],
  ];
}

async function modelFacts({ engine, accounts, spend }: CommandContext): Promise<readonly Fact[]> {
  const { model, providerName, effort = "default", thinking, usedTokens, windowTokens } = engine.state;
  const account = (await accounts?.list())?.find(({ provider }) => provider === providerName);
  const key = account?.access === undefined ? account?.from : `${account.access} from ${account.from}`;
  const { caps } = (await spend?.status()) ?? { caps: [] };
  return [
    ["model", [`${model} of ${providerName}`, `effort ${effort}, thinking ${thinkingWord(thinking)}`]],
    ["key", [key || (account?.needsKey === false ? "none needed" : "none")]],
    ["window", [`${formatCount(usedTokens)} of ${formatCount(windowTokens)} tokens used`]],
    ["limits", caps.length === 0 ? ["no caps"] : caps.map(capLine)],
  ];
}

function capLine({ name, unit, limit, spent }: CapState): string {
  const sum = (value: number) => (unit === "usd" ? formatUsd(value) : `${formatCount(value)} tok`);
  return `${name}: ${sum(spent)} of ${sum(limit)} spent`;
}

async function workFacts({ mcp, instructions, memory }: CommandContext, signal: AbortSignal): Promise<readonly Fact[]> {
  const servers = mcp?.states() ?? [];
  const files = (await instructions?.list(signal))?.filter(({ state }) => state === "active") ?? [];
  const notes = await memory?.list();
  const noted = notes?.isOn ? `${notes.notes.length} notes in ${notes.folder}` : "off";
  return [
    [
      "MCP",
      capped(
        servers.map(({ name, status, tools }) => `${name}: ${status}, ${tools} tools`),
        "no servers",
      ),
    ],
    [
      "instructions",
      capped(
        files.map(({ name, tokens }) => `${name}, ${formatCount(tokens)} tokens`),
        "no files",
      ),
    ],
    ...(notes ? [["notes", [noted]] as const] : []),
  ];
}

function capped(lines: readonly string[], none: string): readonly string[] {
  return lines.length === 0 ? [none] : firstFew(lines, MAX_NAMED, (count) => `and ${count} more`);
}
