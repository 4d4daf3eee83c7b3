import type { CompactionReason } from "../contracts/compaction.ts";
import type { Compaction } from "../contracts/compactor.ts";
import type { HookInput, HookOutcome } from "../contracts/hook.ts";
import { askHooks, type HookDeps } from "./ask-hooks.ts";
import type { Emit } from "./stream-events.ts";

type About = {
  readonly why: CompactionReason;
  readonly model: string;
  readonly instructions?: string | undefined;
};

/** Asks hooks before a compaction. @returns false if a hook forbids the compaction; the person is told. */
export async function hookedStart(about: About, deps: HookDeps, emit: Emit, signal: AbortSignal): Promise<boolean> {
  const instructions = about.instructions ?? "";
  const said = await ask({ event: "PreCompact", trigger: triggerOf(about), instructions }, deps, emit, signal);
  const refusal = said.block ?? said.stop;
  if (refusal) emit({ type: "notice", message: `A hook stopped the compaction: ${refusal.reason}` });
  return refusal === undefined;
}

/**
 * Asks hooks after a summary was written and before the summary takes effect: hooks may add text to the conversation
 * that starts with the summary.
 * @returns the compaction with the added text.
 */
export async function hookedEnd(
  compaction: Compaction,
  about: About,
  deps: HookDeps,
  emit: Emit,
  signal: AbortSignal,
): Promise<Compaction> {
  const { summary } = compaction;
  if (!summary) return compaction;
  const text = summary.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  await ask({ event: "PostCompact", trigger: triggerOf(about), summary: text }, deps, emit, signal);
  const start = { event: "SessionStart", source: "compact", model: about.model } as const;
  const { additionalContext } = await ask(start, deps, emit, signal);
  if (additionalContext === undefined) return compaction;
  return { ...compaction, summary: [...summary, { type: "text", text: additionalContext }] };
}

function triggerOf({ why }: About): "manual" | "auto" {
  return why === "manual" ? "manual" : "auto";
}

async function ask(input: HookInput, deps: HookDeps, emit: Emit, signal: AbortSignal): Promise<HookOutcome> {
  const outcome = (await askHooks(input, deps, signal)) ?? {};
  signal.throwIfAborted();
  if (outcome.systemMessage !== undefined) emit({ type: "notice", message: outcome.systemMessage });
  return outcome;
}
