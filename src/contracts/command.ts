import type { Engine } from "./engine.ts";
import type { Inventory } from "./inventory.ts";
import type { RuleDescription } from "./permission.ts";
import type { SessionSummary } from "./session.ts";

/** What a slash command may do; a face supplies it. */
export type CommandContext = {
  readonly engine: Engine;
  readonly inventory: Inventory;
  readonly permissions: { describe(): readonly RuleDescription[] };
  readonly models: { list(): readonly string[] };
  readonly sessions: { list(): Promise<readonly SessionSummary[]> };
  /** The keys of this face, for help; absent where there is no keyboard. */
  readonly keys?: readonly KeyDescription[];
  /** Ends this conversation and goes on with another; never returns to the caller's screen. */
  resume(sessionId: string): void;
  /** Leaves the program. */
  exit(): void;
};

export type KeyDescription = { readonly keys: string; readonly does: string };

/** One of several ways to go on; `input` is what choosing it types: `/resume 7c1e…`. */
export type Choice = { readonly label: string; readonly detail: string; readonly input: string };

/** What a command answers: lines of plain text for the person, never for the model. */
export type CommandAnswer = {
  readonly lines: readonly string[];
  /** What a face with a keyboard offers as a list instead of `lines`. */
  readonly choose?: { readonly title: string; readonly choices: readonly Choice[] };
};

/** A slash command. `name` has no slash. */
export type Command = {
  readonly name: string;
  readonly summary: string;
  /** Shown after the name in help: `[model]`. */
  readonly argumentHint?: string;
  run(argument: string, context: CommandContext): Promise<CommandAnswer>;
};
