import type { EngineState } from "../../contracts/engine.ts";
import {
  type AssistantBlock,
  type Message,
  textOf,
  totalInputTokens,
  type UserBlock,
} from "../../contracts/message.ts";
import type { ProviderRequest, ToolDeclaration } from "../../contracts/provider.ts";
import { type WireLine, wireUsage } from "./wire-format.ts";

/** The parts of a request besides the conversation. */
export type ContextParts = {
  readonly system: string;
  readonly tools: readonly ToolDeclaration[];
  /** Input tokens of a request as the provider counts them; undefined if the provider cannot count. */
  count(request: CountedRequest, signal: AbortSignal): Promise<number | undefined>;
};

export type CountedRequest = Pick<ProviderRequest, "system" | "tools" | "messages">;

/** The provider's counts of the parts. */
type Counts = { readonly system: number; readonly own: number; readonly servers: number; readonly used: number };

type Piece = { readonly name: string; readonly tokens: number };

const CHARS_PER_TOKEN = 4;
/** About the size of the largest image that is sent. */
const MEDIA_TOKENS = 3_300;
const SERVER_TOOL = /^mcp__(.+?)__/;
const INSTRUCTIONS = /<project-instructions file="([^"]*)">[\s\S]*?<\/project-instructions>/;

/** A request needs a message; its few tokens are subtracted. */
const ONE_WORD: Message = { role: "user", id: "count", content: [{ type: "text", text: "." }] };

/**
 * Lets the provider count the parts: the tokens that each one adds to a request.
 * @returns undefined if the provider cannot count, or fails.
 */
export async function countContext(
  { messages }: Pick<EngineState, "messages">,
  { system, tools, count }: ContextParts,
  signal: AbortSignal,
): Promise<Counts | undefined> {
  const own = tools.filter(({ name }) => !SERVER_TOOL.test(name));
  const word = { system: "", tools: [], messages: [ONE_WORD] };
  const requests: readonly CountedRequest[] = [
    word,
    { ...word, system },
    { ...word, system, tools: own },
    { ...word, system, tools },
    { system, tools, messages: messages.length > 0 ? messages : word.messages },
  ];
  const [least, ...counted] = await Promise.all(requests.map((request) => count(request, signal)));
  const [withSystem, withOwn, withAll, whole] = counted;
  if (least === undefined || withSystem === undefined || withOwn === undefined) return undefined;
  if (withAll === undefined || whole === undefined) return undefined;
  const used = messages.length > 0 ? whole : whole - least;
  return { system: withSystem - least, own: withOwn - withSystem, servers: withAll - withOwn, used };
}

/**
 * How full the window is, by part. Without `counts`, the sum is the provider's count for the last answer plus an
 * estimate of later messages; the parts are estimated from their length, and the rest of the sum is the conversation.
 */
export function wireContext(
  state: EngineState,
  { system, tools }: Pick<ContextParts, "system" | "tools">,
  counts?: Counts,
): WireLine {
  const { messages, windowTokens, model, usage } = state;
  const sized = tools.map((tool) => ({ name: tool.name, tokens: tokensOf(JSON.stringify(tool)) }));
  const ofServers = sized.filter(({ name }) => SERVER_TOOL.test(name));
  const own = sized.filter(({ name }) => !SERVER_TOOL.test(name));
  const memory = instructionsIn(messages);
  const isCounted = messages.some((message) => message.role === "assistant" && totalInputTokens(message.usage) > 0);
  const fixed = {
    system: counts?.system ?? tokensOf(system),
    own: counts?.own ?? sum(own),
    servers: counts?.servers ?? sum(ofServers),
  };
  const beside = fixed.system + fixed.own + fixed.servers;
  const used = counts?.used ?? (isCounted ? state.usedTokens : state.usedTokens + beside);
  const ofMessages = Math.max(0, used - beside - sum(memory));
  const parts = [
    category("system_prompt", "System prompt", fixed.system, "gray"),
    category("system_tools", "Tools", fixed.own, "cyan"),
    category("mcp_tools", "Tools of servers", fixed.servers, "magenta"),
    category("memory_files", "Instruction files", sum(memory), "yellow"),
    category("messages", "Messages", ofMessages, "blue"),
    { ...category("free_space", "Free", Math.max(0, windowTokens - used), "white"), kind: "free" },
  ];
  return {
    categories: parts,
    totalTokens: used,
    maxTokens: windowTokens,
    rawMaxTokens: windowTokens,
    percentage: windowTokens > 0 ? Math.round((used / windowTokens) * 100) : 0,
    gridRows: [],
    model,
    memoryFiles: memory.map(({ name, tokens }) => ({ path: name, type: "Project", tokens })),
    mcpTools: ofServers.map((tool) => ({
      ...tool,
      serverName: SERVER_TOOL.exec(tool.name)?.[1] ?? "",
      isLoaded: true,
    })),
    systemTools: own,
    agents: [],
    isAutoCompactEnabled: true,
    messageBreakdown: breakdown(messages, ofMessages),
    apiUsage: isCounted ? wireUsage(usage) : null,
  };
}

function category(id: string, name: string, tokens: number, color: string): WireLine & Piece {
  return { id, name, tokens, color, kind: "used" };
}

/** The instruction file is part of the first message. */
function instructionsIn([first]: readonly Message[]): readonly Piece[] {
  const [whole, name] = INSTRUCTIONS.exec(first?.role === "user" ? textOf(first.content) : "") ?? [];
  return whole === undefined || name === undefined ? [] : [{ name, tokens: tokensOf(whole) }];
}

/** The estimated parts of the conversation itself. */
function breakdown(messages: readonly Message[], tokens: number): WireLine {
  const byTool = new Map<string, { callTokens: number; resultTokens: number }>();
  const toolOf = new Map<string, string>();
  const share = (name: string) => {
    const one = byTool.get(name) ?? { callTokens: 0, resultTokens: 0 };
    byTool.set(name, one);
    return one;
  };
  let attachmentTokens = 0;
  let assistantMessageTokens = 0;
  let userMessageTokens = 0;
  for (const { role, content } of messages) {
    for (const block of content) {
      if (block.type === "tool_use") {
        toolOf.set(block.id, block.name);
        share(block.name).callTokens += sizeOf(block);
      } else if (block.type === "tool_result") share(toolOf.get(block.toolUseId) ?? "").resultTokens += sizeOf(block);
      else if (block.type === "image" || block.type === "document") attachmentTokens += sizeOf(block);
      else if (role === "assistant") assistantMessageTokens += sizeOf(block);
      else userMessageTokens += sizeOf(block);
    }
  }
  const tools = [...byTool].map(([name, sizes]) => ({ name, ...sizes }));
  const toolCallTokens = tools.reduce((total, { callTokens }) => total + callTokens, 0);
  const toolResultTokens = tools.reduce((total, { resultTokens }) => total + resultTokens, 0);
  const known = toolCallTokens + toolResultTokens + attachmentTokens + assistantMessageTokens + userMessageTokens;
  return {
    toolCallTokens,
    toolResultTokens,
    attachmentTokens,
    assistantMessageTokens,
    userMessageTokens,
    redirectedContextTokens: 0,
    unattributedTokens: Math.max(0, tokens - known),
    toolCallsByType: tools,
    attachmentsByType: [],
  };
}

function sizeOf(block: UserBlock | AssistantBlock): number {
  if (block.type === "text") return tokensOf(block.text);
  if (block.type === "image" || block.type === "document") return MEDIA_TOKENS;
  if (block.type !== "tool_result") return tokensOf(JSON.stringify(block));
  if (typeof block.content === "string") return tokensOf(block.content);
  return block.content.reduce((total, part) => total + sizeOf(part), 0);
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((total, { tokens }) => total + tokens, 0);
}
