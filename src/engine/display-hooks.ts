import { afterSleep } from "../contracts/after-sleep.ts";
import type { AgentSource } from "../contracts/agent.ts";
import type { EngineEvent } from "../contracts/event.ts";
import { type AssistantMessage, textOf } from "../contracts/message.ts";
import type { Clock } from "../contracts/ports.ts";
import { askHooks, type HookDeps } from "./ask-hooks.ts";
import type { Conversation } from "./conversation.ts";
import { type Emit, streamEvents } from "./stream-events.ts";

/** How long an interrupted turn waits for the hooks that change the shown text. */
const GRACE_MS = 1_000;

type DisplayDeps = HookDeps & { readonly agent: AgentSource; readonly clock: Pick<Clock, "sleep"> };

/** True if hooks decide which text of the session's own agent is shown: its text is then not shown as it streams. */
export function holdsText({ hooks, agent }: Pick<DisplayDeps, "hooks" | "agent">): boolean {
  return agent.parentAgentId === null && hooks.wants("MessageDisplay");
}

/**
 * Reports an answer, with the text that hooks want to show in its place. The next event waits for the hooks, so that
 * the screen keeps the order of the conversation. An interrupted turn waits only a moment for the hooks, because a hook
 * may hide a text that nobody should see.
 */
export async function showAnswer(
  message: AssistantMessage,
  deps: DisplayDeps,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const text = textOf(message.content.filter((block) => block.type === "text"));
  if (text === "" || !holdsText(deps)) {
    emit({ type: "assistant_message", message });
    return;
  }
  const patience = withGrace(signal, deps.clock);
  const said = await askHooks({ event: "MessageDisplay", messageId: message.id, text }, deps, patience.signal).finally(
    patience.end,
  );
  const { block, systemMessage } = said ?? {};
  // A hook that failed and blocks on failure may have had text to hide.
  const displayText = !said || block ? "" : said.displayText;
  emit({ type: "assistant_message", message, ...(displayText !== undefined && { displayText }) });
  if (systemMessage !== undefined) emit({ type: "notice", message: systemMessage });
}

/** Adds an answer that can't be requested again to the history, without its calls, since they never ran. */
export async function* keepWords(
  reply: AssistantMessage,
  deps: DisplayDeps & { readonly conversation: Pick<Conversation, "append"> },
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, void> {
  const content = reply.content.filter((block) => block.type !== "tool_use");
  if (textOf(content) === "") return;
  const message = { ...reply, content };
  deps.conversation.append({ kind: "assistant", message });
  yield* streamEvents((emit, inner) => showAnswer(message, deps, emit, inner), signal);
}

/** A signal that aborts a short time after another signal. */
function withGrace(signal: AbortSignal, clock: Pick<Clock, "sleep">) {
  const late = new AbortController();
  const over = new AbortController();
  const start = () => {
    afterSleep(clock.sleep(GRACE_MS, over.signal), () => late.abort(signal.reason));
  };
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  const end = () => {
    signal.removeEventListener("abort", start);
    over.abort(new Error("The hooks have answered."));
  };
  return { signal: late.signal, end };
}
