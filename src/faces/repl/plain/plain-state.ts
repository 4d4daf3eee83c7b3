import type { ReplState } from "../repl-state.ts";

type Field = "transcript" | "ui" | "isBusy" | "nowMs" | "mustAnswer" | "operation" | "completions" | "session";
/** The state that decides what a plain screen prints. */
export type PlainState = Pick<ReplState, Field>;
