import type { ContextReport, CountedParts, DeferredTools } from "../../../contracts/context-report.ts";
import { type Message, NO_USAGE, totalInputTokens } from "../../../contracts/message.ts";
import type { ModelCatalog } from "../../../contracts/ports.ts";
import { blocksSize } from "../../../contracts/token-estimate.ts";
import { declarationTokens } from "../../../contracts/tool-offer.ts";
import { windowLimits } from "../../../contracts/window-limits.ts";
import { contextReport } from "../../../services/context/accounting/context-report.ts";
import { joinSections } from "../../../services/context/system-prompt.ts";
import type { Agent } from "../../agent/open-agent.ts";
import { type PromptSource, systemSections } from "../../agent/system-sections.ts";
import type { ProjectEnvironment } from "../project-environment.ts";

export type ReportedSession = PromptSource & {
  readonly environment: Pick<ProjectEnvironment, "settings">;
  readonly main: Pick<Agent, "engine" | "offered" | "registry" | "instructions">;
  readonly catalog: Pick<ModelCatalog, "capabilities" | "cost">;
};

/**
 * The tokens of the next request by source. Before the first prompt, the content that will be sent with it is included.
 * @param counted The provider's own counts, if it was asked.
 */
export async function sessionContextReport(session: ReportedSession, counted?: CountedParts): Promise<ContextReport> {
  const { main, environment, catalog } = session;
  const { engine, registry, offered } = main;
  const { model } = engine.state;
  const { tokens, messages: said } = engine.conversation;
  const opening = said.length > 0 || counted ? undefined : await openingMessage(main);
  const messages = opening ? [opening] : said;
  const next = tokens.inputTokens(engine.system.length + registry.declarationChars);
  const usedTokens = next + (opening ? tokens.calibrated(blocksSize(opening.content)) : 0);
  const size = counted?.used ?? usedTokens;
  const [texts, cached, uncached] = await Promise.all([
    main.instructions.inForce(),
    catalog.cost(model, { ...NO_USAGE, cacheReadTokens: size }),
    catalog.cost(model, { ...NO_USAGE, inputTokens: size }),
  ]);
  return contextReport({
    model,
    messages,
    usedTokens,
    counted,
    limits: windowLimits(catalog.capabilities(model), environment.settings.compaction),
    autoCompact: environment.settings.compaction?.auto !== false,
    origins: new Map(texts.map(({ name, origin }) => [name, origin])),
    sections: sectionsOf(session),
    tools: registry.declarations,
    deferred: deferredTools(main),
    isReported: messages.some((message) => message.role === "assistant" && totalInputTokens(message.usage) > 0),
    pinned: engine.conversation.pinned,
    lastSummary: engine.conversation.lastReport,
    usd: cached === undefined || uncached === undefined ? undefined : { cached, uncached },
    isServers: (name) => offered.get(name)?.source.kind === "mcp" || name.startsWith("mcp__"),
    measure: (part) => tokens.calibrated(part),
  });
}

/**
 * The parts of a session's system prompt. Tools may have been added or removed since the prompt was made: the prompt is
 * then one part.
 */
export function sectionsOf({ main, ...source }: PromptSource & Pick<ReportedSession, "main">) {
  const sections = systemSections(source, main.registry.names);
  const { system } = main.engine;
  return joinSections(sections) === system ? sections : [{ name: "system prompt", text: system }];
}

/** The first message as it will be sent, with a placeholder for the user's prompt. */
async function openingMessage({ engine }: ReportedSession["main"]): Promise<Message> {
  const texts = [...(await engine.userMessages.preview()), "(your first prompt)"];
  return { role: "user", id: "", content: texts.map((text) => ({ type: "text", text })) };
}

function deferredTools({ registry, offered }: ReportedSession["main"]): readonly DeferredTools[] {
  const sourceOf = (name: string) => {
    const { kind = "builtin", name: server } = offered.get(name)?.source ?? {};
    return kind === "mcp" ? (server ?? "MCP") : "built in";
  };
  const bySource = Map.groupBy(registry.deferred, ({ spec }) => sourceOf(spec.name));
  return [...bySource].map(([source, tools]) => ({
    source,
    tools: tools.length,
    tokens: tools.reduce((sum, { spec }) => sum + declarationTokens(spec), 0),
  }));
}
