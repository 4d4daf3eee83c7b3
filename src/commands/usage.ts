import { formatAgo, formatCount } from "@quoll/terminal-text/format-amount";
import { formatMoment } from "@quoll/terminal-text/format-moment";
import { plainText } from "@quoll/terminal-text/plain-text";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { Command } from "../contracts/command.ts";
import type { ProviderLimits, RateLimit } from "../contracts/rate-limits.ts";
import { capLines } from "./cost.ts";

const NAME_COLUMNS = 14;
const BAR_COLUMNS = 10;

/** Shows what is left of the provider's limits, as its newest answer reported them, and of the person's own caps. */
export const usageCommand: Command = {
  name: "usage",
  summary: "Show what is left of the provider's limits and of your caps",
  needsNoServers: true,
  async run(_argument, { engine, rateLimits, spend, now }) {
    const told = ((await rateLimits?.()) ?? []).filter(({ limits }) => limits.length > 0);
    const { caps } = (await spend?.status()) ?? { caps: [] };
    const own = caps.length > 0 ? capLines(caps) : ["", "You have set no caps: the setting `spend.dayUsd` sets one."];
    const none = `${engine.state.providerName} has reported no limits in this session. Some providers report them with each answer.`;
    return {
      kind: "text",
      lines: [...(told.length === 0 ? [none] : told.flatMap((one) => linesOf(one, now()))), ...own],
    };
  },
};

function linesOf({ provider, at, limits }: ProviderLimits, now: number): readonly string[] {
  return [`${provider}, told ${formatAgo(now - at)}`, ...limits.map((limit) => `  ${limitLine(limit, now)}`)];
}

function limitLine({ name, used, left, limit, resetsAt }: RateLimit, now: number): string {
  const share = used ?? (left !== undefined && limit ? 1 - left / limit : undefined);
  const amount =
    used !== undefined || left === undefined
      ? `${Math.round((share ?? 0) * 100)}% used`
      : `${formatCount(left)}${limit === undefined ? "" : ` of ${formatCount(limit)}`} left`;
  const end = resetsAt === undefined || resetsAt <= now ? "" : ` · resets ${formatMoment(resetsAt, now)}`;
  return `${padText(truncateText(plainText(name), NAME_COLUMNS), NAME_COLUMNS)} ${barOf(share)}  ${amount}${end}`;
}

function barOf(share: number | undefined): string {
  const full = Math.round(Math.min(1, Math.max(0, share ?? 0)) * BAR_COLUMNS);
  return "█".repeat(full) + "░".repeat(BAR_COLUMNS - full);
}
