import { environment } from "../../platform/env.ts";
import type { DebugLog } from "../../services/telemetry/debug-log/create-debug-log.ts";

/** Logs what the screen is drawn on, how long the start took, and each change of size. @returns what stops it. */
export function logTerminal(log: DebugLog | undefined): () => void {
  if (!log) return () => undefined;
  const env = environment();
  const size = () => `${process.stdout.columns}×${process.stdout.rows}`;
  const kind = ["TERM", "COLORTERM", "TERM_PROGRAM", "TMUX"].map((name) => `${name}=${env[name] ?? ""}`).join(" ");
  log.note("ui", `the screen is drawn ${Math.round(performance.now())} ms after the start: ${size()}, ${kind}`);
  const onResize = () => log.note("ui", `the terminal is now ${size()}`);
  process.stdout.on("resize", onResize);
  return () => void process.stdout.off("resize", onResize);
}
