import type { Ui, UiContext } from "./ui-state.ts";

const FRESH = [
  "Say what you want done · / commands · @ files · ! your shell",
  "Say what you want done · / commands",
  "Say what you want done",
];
const BUSY = ["Write what comes next"];
const RESUMED = ["Go on where you left off, or say what comes next", "Go on where you left off"];
const NEXT = ["Say what comes next"];

/** The texts of which the longest that fits stands in an empty prompt: what one can do there. The first key ends it. */
export function placeholderOf(ui: Ui, { isBusy, isStopping, isFresh, isResumed, tip }: UiContext): readonly string[] {
  const isElsewhere = ui.asking !== undefined || ui.strip !== undefined || ui.queue.length > 0 || ui.showsKeys;
  if (ui.editor.text !== "" || isElsewhere || isStopping) return [];
  if (isBusy) return tip === undefined ? BUSY : [`Tip: ${tip}`, ...BUSY];
  if (isFresh) return FRESH;
  return isResumed ? RESUMED : NEXT;
}
