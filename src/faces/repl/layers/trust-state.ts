import { GUARD_MS } from "./question.ts";
import { NO_PREVIEW, type PreviewView } from "./ui-state.ts";

export type TrustChoice = "trust" | "session" | "no" | "exit";

export type TrustOption = { readonly key: string; readonly label: string; readonly answer: TrustChoice };

export const TRUST_OPTIONS: readonly TrustOption[] = [
  { key: "1", label: "trust this folder", answer: "trust" },
  { key: "2", label: "this session only", answer: "session" },
  { key: "3", label: "continue without trust", answer: "no" },
  { key: "esc", label: "leave", answer: "exit" },
];

/** Continue without trust. */
export const TRUST_NO_KEY = "3";

export type TrustState = {
  /** The key of the marked option. */
  readonly choice: string;
  readonly scroll: number;
  /** Keys before this time were typed before the question was readable. Monotonic milliseconds. */
  readonly guardedUntil: number;
  readonly preview: PreviewView;
};

/** The marked option lets nothing run. */
export function emptyTrustState(nowMs: number): TrustState {
  return { choice: TRUST_NO_KEY, scroll: 0, guardedUntil: nowMs + GUARD_MS, preview: NO_PREVIEW };
}
