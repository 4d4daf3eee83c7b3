import { commandCalls } from "../../protocol/transcript/transcript.ts";
import type { openLayers } from "./layers/layer-stack.ts";
import { isChoosing } from "./layers/open-question.ts";
import { isHeld } from "./layers/question.ts";
import type { ReplScreen } from "./repl-screen-state.ts";
import type { ReplState } from "./repl-state.ts";
import { awaitedTasks } from "./tasks/shown-tasks.ts";

/** The facts that a frame shows, from the state of the screen. */
export function screenView(state: ReplState, layers: ReturnType<typeof openLayers>): Parameters<ReplScreen["draw"]>[1] {
  const { ui, transcript, status, session } = state;
  const isTyping = ui.editor.text.trim() !== "";
  return {
    ui,
    theme: state.theme,
    transcript,
    engine: session,
    folder: folderName(status.shownCwd),
    branch: state.branch,
    // Commands run outside it then.
    sandbox: session.mode === "bypassPermissions" && status.isSandboxDemanded !== true ? undefined : status.sandbox,
    ownLines: status.ownLines,
    texts: status.texts,
    isBusy: state.isBusy,
    isAsked: ui.asking !== undefined,
    keepsMode: state.keepsMode,
    leadsBack: leadsBack(ui.asking),
    vim: ui.vim?.mode,
    isHeld: isHeld(ui, state.nowMs),
    isTyping,
    isWaiting: ui.queue.length > 0 && !isTyping && !ui.picker && !ui.hidden,
    canRelease: commandCalls(transcript).length + awaitedTasks(state.tasks).length > 0,
    hint: hintOf(state),
    starting: state.starting,
    operation: state.operation,
    tasks: state.tasks,
    nowMs: state.nowMs,
    layers,
  };
}

/** The context whose Esc leads back to the answers. */
function leadsBack(asking: ReplState["ui"]["asking"]) {
  if (isChoosing(asking)) {
    if (asking.writing) return "words";
    if (asking.isFromRow) return "row";
    return asking.question.parentAgentId === null ? "choice" : "left";
  }
  if (asking?.why) return "reason";
  if (asking?.isChoosingTerm) return "term";
  return asking?.isExplained ? "details" : undefined;
}

/** The keys pressed so far: which keys can follow, and for how many seconds. */
function hintOf({ ui: { chord, armed }, nowMs }: ReplState): string | undefined {
  if (!chord) return armed?.says;
  const seconds = Math.ceil(Math.max(0, chord.until - nowMs) / 1_000);
  return `${chord.keys} … ${chord.next.join(" ")} · ${seconds}s`;
}

/** The last part of a path. */
export function folderName(cwd: string): string {
  return cwd.split(/[\\/]/).findLast((part) => part !== "") ?? cwd;
}
