import type { Ui } from "../layers/ui-state.ts";
import type { FramePacer } from "./frame-pacer.ts";

/** The times before the end of a chord at which its seconds change. */
const CHORD_STEPS_MS = [2_000, 1_000, 0];

/** Redraws when the status line must no longer show the begun keys, and at each second of a chord. */
export function drawWhileKeysWait(pacer: FramePacer, before: Ui, { armed, chord }: Ui): void {
  if (armed && armed !== before.armed && Number.isFinite(armed.until)) pacer.at(armed.until + 1);
  if (chord && chord !== before.chord) for (const left of CHORD_STEPS_MS) pacer.at(chord.until - left + 1);
}
