import type { Reply } from "../../../src/contracts/question.ts";
import type { SpendSettings } from "../../../src/contracts/settings.ts";
import type { PlannedSpend } from "../../../src/contracts/spend.ts";
import { ownIdentity, type ProcessIdentity } from "../../../src/platform/process-identity.ts";
import { capsOf } from "../../../src/services/spend/caps.ts";
import { SessionSpendGuard, type SpendGuardDeps } from "../../../src/services/spend/spend-guard.ts";
import { SpendLedger } from "../../../src/services/spend/spend-ledger.ts";
import { newPartsOf } from "../../support/question.ts";

/** Local noon: no test of ours is near midnight unless it says so. */
export const NOON = new Date(2026, 10, 21, 12).getTime();
export const TODAY = "2026-11-21";

/** One dollar a million tokens of input, ten of output, a tenth from the cache; the model "free" costs nothing. */
export async function cost(
  model: string,
  usage: Parameters<SpendGuardDeps["catalog"]["cost"]>[1],
): Promise<number | undefined> {
  if (model === "free") return 0;
  if (model !== "dear") return undefined;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return (inputTokens + outputTokens * 10 + cacheReadTokens / 10 + cacheWriteTokens * 1.25) / 1_000_000;
}

/** A tenth of a dollar at worst: 20,000 tokens in (as a write to the cache), 7,500 out. */
export const TEN_CENTS: PlannedSpend = { source: "main", model: "dear", inputTokens: 20_000, maxOutputTokens: 7_500 };
export const used = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

export const never = new AbortController().signal;

type Options = {
  readonly folder: string;
  readonly spend?: SpendSettings;
  readonly flagUsd?: number;
  readonly session?: string;
  readonly project?: string;
  readonly isResumed?: boolean;
  /** Answers of the person, in order; none: nobody can be asked. */
  readonly replies?: readonly Reply[];
  readonly now?: () => number;
  readonly identity?: ProcessIdentity;
  readonly isRunning?: (identity: ProcessIdentity) => "yes" | "no" | "unknown";
  readonly lockWaitMs?: number;
  /** Models that cost as much as one of ours, by name. */
  readonly models?: Readonly<Record<string, string>>;
};

/** A guard over a real ledger, with what it told and asked. */
export function makeGuard(options: Options) {
  const { folder, spend, session = "s1", replies, now = () => NOON } = options;
  const notices: string[] = [];
  const asked: string[] = [];
  const left = [...(replies ?? [])];
  const sleeps: { readonly ms: number; readonly wake: () => void }[] = [];
  let next = 0;
  const ledger = new SpendLedger({
    folder,
    ...(options.identity && { identity: options.identity }),
    ...(options.isRunning && { isRunning: options.isRunning }),
    ...(options.lockWaitMs !== undefined && { lockWaitMs: options.lockWaitMs }),
  });
  const guard = new SessionSpendGuard({
    caps: capsOf(spend, options.flagUsd),
    ledger,
    catalog: { cost: (model, usage) => cost(options.models?.[model] ?? model, usage) },
    clock: {
      now,
      sleep: async (ms, signal) => {
        const woken = Promise.withResolvers<void>();
        sleeps.push({ ms, wake: woken.resolve });
        signal?.addEventListener("abort", () => woken.reject(signal.reason), { once: true });
        await woken.promise;
      },
    },
    ids: { next: () => `${session}-${++next}` },
    session,
    isResumed: options.isResumed ?? false,
    project: options.project ?? "/home/ann/shop",
    asker: () => ({
      canAsk: replies !== undefined,
      ask: async (question) => {
        const { preview } = newPartsOf(question);
        asked.push(preview.kind === "text" ? preview.text : question.title);
        return left.shift() ?? { decision: "reject" };
      },
    }),
    notice: (line) => void notices.push(line),
  });
  /** Ends the waits before a write to the ledger. */
  const written = async () => {
    for (const { wake } of sleeps) wake();
    await new Promise(setImmediate);
  };
  return { guard, ledger, notices, asked, sleeps, written };
}

/** Another process, by name: which of them live is for the test to say. */
export function processNamed(pid: number): ProcessIdentity {
  return { ...ownIdentity(), pid, startTime: `start of ${pid}` };
}
