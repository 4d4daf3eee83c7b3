import type { ContextReport, ContextRow, ContextSource, CountedParts } from "../../contracts/context-report.ts";
import type { EngineState } from "../../contracts/engine.ts";
import type { InstructionOrigin } from "../../contracts/instructions.ts";
import { type Message, totalInputTokens } from "../../contracts/message.ts";
import type { ProviderRequest, ToolDeclaration } from "../../contracts/provider.ts";
import { type WireLine, wireUsage } from "./wire-format.ts";

/** The parts of a request in addition to the conversation. */
export type ContextParts = {
  readonly system: string;
  readonly tools: readonly ToolDeclaration[];
  /** Input tokens of a request as the provider counts them; undefined if the provider cannot count. */
  count(request: CountedRequest, signal: AbortSignal): Promise<number | undefined>;
  /** The tokens of the next request by source. */
  report(counted?: CountedParts): Promise<ContextReport>;
};

export type CountedRequest = Pick<ProviderRequest, "system" | "tools" | "messages">;

const SERVER_TOOL = /^mcp__(.+?)__/;

/** The origins of instruction files, in the terms of the calling programs. */
const MEMORY_TYPES: Readonly<Record<InstructionOrigin, string>> = {
  managed: "Managed",
  user: "User",
  above: "Project",
  project: "Project",
  local: "Local",
};

/** A request needs a message; the tokens of this message are subtracted. */
const ONE_WORD: Message = { role: "user", id: "count", content: [{ type: "text", text: "." }] };

/**
 * Lets the provider count the parts: the tokens that each part adds to a request.
 * @returns undefined if the provider cannot count, or fails.
 */
export async function countContext(
  { messages }: Pick<EngineState, "messages">,
  { system, tools, count }: Omit<ContextParts, "report">,
  signal: AbortSignal,
): Promise<CountedParts | undefined> {
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

/** Converts a report to the form for programs. */
export function wireContext({ usage }: Pick<EngineState, "usage">, report: ContextReport): WireLine {
  const { bySource, usedTokens, limits, model, rows, byKind, byTool, deferred } = report;
  const { window } = limits;
  const of = (source: ContextSource) => rows.filter((row) => row.source === source);
  const parts = [
    category("system_prompt", "System prompt", bySource.prompt, "gray"),
    category("system_tools", "Tools", bySource.tools, "cyan"),
    category("mcp_tools", "Tools of servers", bySource.mcp, "magenta"),
    category("memory_files", "Instruction files", bySource.instructions, "yellow"),
    category("memory", "Memory", bySource.memory, "purple"),
    category("messages", "Messages", bySource.messages, "blue"),
    { ...category("free_space", "Free", Math.max(0, window - usedTokens), "white"), kind: "free" },
    ...deferredCategory(deferred),
  ];
  return {
    categories: parts,
    totalTokens: usedTokens,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: window > 0 ? Math.round((usedTokens / window) * 100) : 0,
    gridRows: [],
    model,
    memoryFiles: of("instructions").map(({ label, tokens, origin = "project" }) => ({
      path: label,
      type: MEMORY_TYPES[origin],
      tokens,
    })),
    mcpTools: of("mcp").map(({ label, tokens }) => ({
      name: label,
      tokens,
      serverName: SERVER_TOOL.exec(label)?.[1] ?? "",
      isLoaded: true,
    })),
    systemTools: of("tools").map(named),
    systemPromptSections: of("prompt").map(named),
    agents: [],
    isAutoCompactEnabled: report.autoCompact,
    messageBreakdown: {
      toolCallTokens: byKind.calls,
      toolResultTokens: byKind.results,
      attachmentTokens: byKind.attachments,
      assistantMessageTokens: byKind.answers,
      userMessageTokens: byKind.words,
      redirectedContextTokens: 0,
      unattributedTokens: 0,
      toolCallsByType: byTool,
      attachmentsByType: [],
    },
    apiUsage: totalInputTokens(usage) > 0 ? wireUsage(usage) : null,
  };
}

function category(id: string, name: string, tokens: number, color: string): WireLine {
  return { id, name, tokens, color, kind: "used" };
}

function deferredCategory(deferred: ContextReport["deferred"]): readonly WireLine[] {
  const tokens = deferred.reduce((sum, one) => sum + one.tokens, 0);
  if (tokens === 0) return [];
  return [{ ...category("mcp_tools_deferred", "Deferred tools", tokens, "white"), kind: "deferred", isDeferred: true }];
}

function named({ label, tokens }: ContextRow): WireLine {
  return { name: label, tokens };
}
