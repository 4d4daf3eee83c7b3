import { formatAgo, formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { NO_USAGE } from "../../contracts/message.ts";
import type { Clock, ModelCatalog } from "../../contracts/ports.ts";
import { CACHE_TTL_MS, lastRequestOf } from "../../engine/cache-warmth.ts";
import type { Agent } from "../agent/open-agent.ts";
import { cacheTtlMs } from "../cache-ttl.ts";
import type { OpenedConversation } from "./open-conversation.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

/** A smaller conversation costs cents. */
const MIN_TOKENS = 50_000;

type Parts = {
  readonly app: { readonly clock: Pick<Clock, "now"> };
  readonly conversation: Pick<OpenedConversation, "restored">;
  readonly main: Pick<Agent, "engine">;
  readonly catalog: Pick<ModelCatalog, "cost">;
  readonly place: Pick<ProjectEnvironment, "settings">;
};

/**
 * The price of the next request of a resumed session whose prompt cache has expired.
 * @returns no line if the cache may still be there, or if the conversation has at most 50,000 tokens.
 */
export async function coldResumeLines(parts: Parts): Promise<readonly string[]> {
  const { app, conversation, main, catalog, place } = parts;
  const last = lastRequestOf(conversation.restored);
  if (last === undefined) return [];
  const { engine } = main;
  const { model, providerName } = engine.state;
  const idleMs = app.clock.now() - last.sentAt;
  if (idleMs <= (cacheTtlMs(place.settings, providerName) ?? CACHE_TTL_MS)) return [];
  const tokens = engine.conversation.tokens.inputTokens(engine.system.length);
  if (tokens <= MIN_TOKENS) return [];
  const usd = await catalog.cost(model, { ...NO_USAGE, cacheWriteTokens: tokens });
  const size = `the next request sends about ${formatCount(tokens)} tokens without the cache (${formatUsd(usd, true)})`;
  const line = `The last request was ${formatAgo(idleMs)}, so the prompt cache has expired: ${size}. /compact makes the conversation smaller.`;
  return [line];
}
