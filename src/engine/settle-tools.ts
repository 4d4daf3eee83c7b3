import { TOOL_CALL, TOOL_SEARCH } from "../contracts/call-target.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Message } from "../contracts/message.ts";
import { textTokens } from "../contracts/token-estimate.ts";
import type { ToolRecord } from "../contracts/tool-offer.ts";
import type { Conversation } from "./conversation.ts";
import type { InputQueue } from "./input-queue.ts";
import { inputSize, type SizeDeps } from "./request-size.ts";

const NOTE_ID = "deferred-tools";

type SettledRequest = { readonly model: string; readonly system: string; readonly inputs: InputQueue };

export type SettleDeps = SizeDeps & {
  /** Called before each request, when its tools and notes are not fixed yet. */
  readonly beforeRequest?: ((messages: readonly Message[]) => Promise<void>) | undefined;
};

/** The maximum estimated tokens of all announcements of a conversation; the model finds the other tools by search. */
export const MAX_ANNOUNCED_TOKENS = 1_200;
/** Tokens that are kept free for a server that is still starting. */
const RESERVED_TOKENS = 18;
const MAX_PURPOSE_CHARS = 60;
const SERVER_TOOL = /^(mcp__.+?__)(.+)$/;
const BUILT_IN = "";

export type Announcement = {
  /** The names of the deferred tools that no message has announced. */
  readonly names: readonly string[];
  /** The tokens of earlier announcements in the model's view; 0 if there are none. */
  readonly usedTokens: number;
  /** Servers that have not listed their tools yet. */
  readonly pendingServers: number;
  /** The purpose of the server with this prefix of tool names; undefined if it states none. */
  purposeOf(prefix: string): string | undefined;
};

type Group = {
  readonly names: readonly string[];
  /** The line with all names. */
  readonly whole: string;
  /** Alternative lines without names, the shortest last. */
  readonly cut: readonly string[];
};

/**
 * Fixes the tools of the next request: logs the tool array, reports changes of an array that was sent before, and
 * adds a note for the model about deferred tools that no message has announced.
 * @throws {Error} the log can't be written.
 */
export async function* settleTools(
  { model, system, inputs }: SettledRequest,
  deps: SettleDeps,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, void> {
  const { tools, conversation, catalog } = deps;
  await deps.beforeRequest?.(conversation.messages);
  // The decision depends on the window of the model.
  await catalog.ready?.(model);
  await tools.listed(signal);
  const { toolNotes } = conversation;
  const change = tools.settle(toolNotes.record);
  const { record } = tools;
  if (record && (change || !isSame(record, toolNotes)))
    conversation.append({ kind: "tools", optional: true, ...record });
  if (change) yield { type: "tools_changed", ...change, resentTokens: inputSize(system, deps) };
  const { announced } = toolNotes;
  const fresh = tools.deferred.map(({ spec }) => spec.name).filter((name) => !announced.has(name));
  if (fresh.length === 0) inputs.withdrawNote(NOTE_ID);
  else {
    const { announcedTokens: usedTokens } = toolNotes;
    const { pendingServers } = tools;
    const purposeOf = (prefix: string) => tools.purposeOf(prefix);
    inputs.addNote(NOTE_ID, announceTools({ names: fresh, usedTokens, pendingServers, purposeOf }), fresh);
  }
}

/** Declarations are replaced only by a change that is recorded in any case. */
function isSame({ mode, array }: ToolRecord, { record }: Conversation["toolNotes"]): boolean {
  return record?.mode === mode && record.array.length === array.length;
}

/**
 * Announces deferred tools to the model, one line for each server. A line has all names if there are enough tokens;
 * otherwise it has the number of tools, the purpose of the server, and as many names as fit.
 */
export function announceTools(announcement: Announcement): string {
  const { names, usedTokens, pendingServers, purposeOf } = announcement;
  const groups = [...Map.groupBy(names, (name) => SERVER_TOOL.exec(name)?.[1] ?? BUILT_IN)].map(([prefix, own]) =>
    groupOf(prefix, own, purposeOf(prefix)),
  );
  const head = headOf(usedTokens > 0);
  const reserve = pendingServers * RESERVED_TOKENS;
  const budget = Math.max(0, MAX_ANNOUNCED_TOKENS - usedTokens - reserve - textTokens(head));
  return `<more-tools>\n${head}\n${fitted(groups, budget).join("\n")}\n</more-tools>`;
}

function headOf(isMore: boolean): string {
  return isMore
    ? `More tools can be used now: ${TOOL_SEARCH} shows them, ${TOOL_CALL} calls them.`
    : `These tools can be used too, but their descriptions are not loaded. ${TOOL_SEARCH} shows what they take, also of those without a name here, ${TOOL_CALL} calls them. The full name of \`b\` below \`mcp__a__*\` is \`mcp__a__b\`.`;
}

function groupOf(prefix: string, own: readonly string[], purpose: string | undefined): Group {
  const names = own.map((name) => name.slice(prefix.length));
  if (prefix === BUILT_IN) return { names, whole: names.join(", "), cut: [names.join(", ")] };
  const count = `${prefix}* (${names.length} ${names.length === 1 ? "tool" : "tools"}`;
  const about = purpose === undefined ? [] : [`${count}; ${purposeText(purpose)})`];
  return { names, whole: `${prefix}*: ${names.join(", ")}`, cut: [...about, `${count})`] };
}

/** The purpose is the server's own text, so its words must not close the announcement. */
function purposeText(text: string): string {
  const line = text
    .replace(/[<>()\s]+/g, " ")
    .trim()
    .replace(/[.!]$/, "");
  return line.length <= MAX_PURPOSE_CHARS ? line : `${line.slice(0, MAX_PURPOSE_CHARS - 1).toWellFormed()}…`;
}

/** Fits the lines into the budget, in the order of the groups. Small groups get their names first. */
function fitted(groups: readonly Group[], budget: number): readonly string[] {
  const shortest = groups.map(({ cut }) => cut.at(-1) ?? "");
  const lines = new Map(groups.map((group, at) => [group, shortest[at] ?? ""]));
  let rest = budget - shortest.reduce((sum, line) => sum + textTokens(line) + 1, 0);
  const improve = (group: Group, line: string) => {
    const more = textTokens(line) - textTokens(lines.get(group) ?? "");
    if (more > rest) return;
    rest -= more;
    lines.set(group, line);
  };
  const bySize = groups.toSorted((a, b) => a.whole.length - b.whole.length);
  for (const group of bySize) for (const line of group.cut.slice(0, -1)) improve(group, line);
  for (const [at, group] of bySize.entries()) {
    const share = rest / (bySize.length - at);
    improve(group, lineWithin(group, lines.get(group) ?? "", share));
  }
  return groups.map((group) => lines.get(group) ?? "");
}

/** The line with all names, or with as many names as fit into the tokens. */
function lineWithin({ names, whole }: Group, line: string, tokens: number): string {
  if (textTokens(whole) - textTokens(line) <= tokens) return whole;
  let longer = line;
  let rest = tokens - textTokens(", …");
  for (const [at, name] of names.entries()) {
    const more = `${at === 0 ? ": " : ", "}${name}`;
    rest -= textTokens(more);
    if (rest < 0) break;
    longer += more;
  }
  return longer === line ? line : `${longer}, …`;
}
