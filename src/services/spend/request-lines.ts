import { MAIN_AGENT } from "../../contracts/agent.ts";
import { NO_USAGE, type Usage } from "../../contracts/message.ts";
import type { Clock } from "../../contracts/ports.ts";
import { LEDGER_FORMAT, type OpenLine, type SettledLine } from "./ledger-line.ts";
import type { SpendLedger } from "./spend-ledger.ts";
import type { SessionRequest } from "./spend-of-session.ts";

type About = {
  readonly clock: Pick<Clock, "now">;
  readonly session: string;
  /** The project root; absolute. */
  readonly project: string;
  readonly ledger: Pick<SpendLedger, "identity">;
};

/** The line of a request that was sent. */
export function openLine(request: SessionRequest, about: About): OpenLine {
  return {
    ...baseOf(request, about),
    state: "open",
    usage: null,
    usd: null,
    reserved: reservedOf(request),
    holder: about.ledger.identity,
  };
}

type Settled = {
  /** Undefined if no server accepted the request. */
  readonly usage: Usage | undefined;
  /** US dollars; undefined if unknown. */
  readonly usd: number | undefined;
  /** The amount that caps count, at least `usd`. */
  readonly countedUsd: number;
};

/** The line of a request that is over. */
export function settledLine(
  request: SessionRequest,
  { usage: used, usd, countedUsd }: Settled,
  about: About,
): SettledLine {
  const { estimated, costUsd: _, ...usage } = used ?? NO_USAGE;
  return {
    ...baseOf(request, about),
    state: "settled",
    usage,
    usd: usd ?? null,
    ...(usd !== undefined && countedUsd > usd && { countedUsd }),
    reserved: reservedOf(request),
    ...(estimated && { estimated }),
    ...(used === undefined && { refused: true }),
  };
}

function baseOf({ id, plan }: SessionRequest, { clock, session, project }: About) {
  const { source, server, model, provider = "", agent: { agentId, parentAgentId } = MAIN_AGENT } = plan;
  const time = new Date(clock.now()).toISOString();
  const asker = server === undefined ? { source } : { source, server };
  return { v: LEDGER_FORMAT, id, time, session, project, ...asker, agentId, parentAgentId, model, provider } as const;
}

function reservedOf({ plan, usd }: SessionRequest) {
  return { inputTokens: plan.inputTokens, outputTokens: plan.maxOutputTokens, usd: usd ?? null };
}
