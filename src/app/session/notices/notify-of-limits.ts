import { formatMoment } from "@quoll/terminal-text/format-moment";
import { plainText } from "@quoll/terminal-text/plain-text";
import type { ProviderLimits, RateLimit } from "../../../contracts/rate-limits.ts";
import type { SessionAgents } from "../../agent/session-agents.ts";

/** Used shares of a plan's window at which the person is told. */
const LEVELS = [0.95, 0.8] as const;

type Deps = {
  readonly agents: Pick<SessionAgents, "subscribe">;
  readonly rateLimits: { list(): Promise<readonly ProviderLimits[]> };
  notify(line: string): void;
  /** Milliseconds since 1970. */
  now(): number;
};
type Told = { readonly level: number; readonly resetsAt: number };

/**
 * Tells the person when a window of their plan is 80 % and 95 % used, each once until it starts again. Limits per
 * minute are left out: providers report no used share of such limits, and the limits reset by themselves.
 * @returns the function that ends this.
 */
export function notifyOfLimits({ agents, rateLimits, notify, now }: Deps): () => void {
  const told = new Map<string, Told>();
  const look = async () => {
    for (const { provider, limits } of await rateLimits.list())
      for (const limit of limits) {
        const key = `${provider} ${limit.name}`;
        const level = LEVELS.find((one) => (limit.used ?? 0) >= one) ?? 0;
        const before = told.get(key);
        // The end of some windows moves with each answer, so a new window begins only when the reported end has passed.
        const isOver = before !== undefined && before.resetsAt > 0 && now() >= before.resetsAt;
        if (level <= (isOver ? 0 : (before?.level ?? 0))) continue;
        const { resetsAt = 0 } = limit;
        told.set(key, { level, resetsAt });
        notify(lineOf(provider, limit, now()));
      }
  };
  return agents.subscribe(({ event }) => {
    if (event.type === "assistant_message" || event.type === "turn_finished") void look().catch(() => undefined);
  });
}

function lineOf(provider: string, { name, used = 0, resetsAt = 0 }: RateLimit, now: number): string {
  const share = Math.min(100, Math.floor(used * 100));
  const reset = resetsAt > now ? `, and it starts anew ${formatMoment(resetsAt, now)}` : "";
  return `${provider}: ${share}% of your ${plainText(name)} limit is used${reset}. /usage shows all limits.`;
}
