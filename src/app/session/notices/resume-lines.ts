import { formatAgo, formatCount, formatUsd } from "@quoll/terminal-text/format-amount";
import { NO_USAGE } from "../../../contracts/message.ts";
import { CACHE_TTL_MS, lastRequestOf } from "../../../engine/cache-warmth.ts";
import { cacheTtlMs } from "../../cache-ttl.ts";
import type { OpenedConversation } from "../open-conversation.ts";
import type { OpenedSession } from "../opened-session.ts";
import { systemHash } from "../settings/record-run-settings.ts";

/** A smaller conversation costs only cents. */
const MIN_TOKENS = 50_000;

type Parts = Pick<OpenedSession, "app" | "conversation" | "main" | "catalog" | "environment">;

/**
 * The price of the next request of a resumed session whose system prompt has changed or whose prompt cache has expired.
 * @returns at most one line; none for an expired cache if the conversation has at most 50,000 tokens.
 */
export async function resumeLines(parts: Parts): Promise<readonly string[]> {
  const { app, conversation, main, catalog, environment } = parts;
  const last = lastRequestOf(conversation.restored);
  const { engine } = main;
  if (last === undefined || engine.conversation.messages.length === 0) return [];
  const { model, providerName } = engine.state;
  if (providerName === "offline") return [];
  const idleMs = app.clock.now() - last.sentAt;
  const tokens = engine.conversation.tokens.inputTokens(engine.system.length);
  const isCold = tokens > MIN_TOKENS && idleMs > (cacheTtlMs(environment.settings, providerName) ?? CACHE_TTL_MS);
  const isChanged = hasOtherPrompt(conversation.restored, engine.system);
  if (!isCold && !isChanged) return [];
  const why = isChanged
    ? "The system prompt differs from this session's last request (another output style, language, option or version of Quoll)"
    : `The last request was ${formatAgo(idleMs)}, so the prompt cache has expired`;
  const usd = await catalog.cost(model, { ...NO_USAGE, cacheWriteTokens: tokens });
  const size = `the next request sends about ${formatCount(tokens)} tokens without the cache (${formatUsd(usd, true)})`;
  return [`${why}: ${size}.${isCold ? " /compact makes the conversation smaller." : ""}`];
}

/** Sessions of older versions have no hash, so no change can be detected. */
function hasOtherPrompt(restored: OpenedConversation["restored"], system: string): boolean {
  const setup = restored?.entries.findLast((entry) => entry.kind === "setup");
  return setup?.systemHash !== undefined && setup.systemHash !== systemHash(system);
}
