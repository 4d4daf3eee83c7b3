import { stripLines } from "../view/strip-lines.ts";
import type { Layer } from "./layer.ts";
import type { UiContext } from "./ui-state.ts";

/** The running agents and background shells, below the prompt. */
export function stripLayer({ tasks = [], nowMs }: UiContext): Layer | undefined {
  if (tasks.length === 0) return undefined;
  return {
    contexts: [],
    draft: "empty",
    place: "below",
    handle: () => undefined,
    lines: (room) => ({ lines: stripLines({ tasks, nowMs }, room) }),
  };
}
