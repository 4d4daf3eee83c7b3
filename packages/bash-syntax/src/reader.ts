import type { Token, WordToken } from "./tokens.ts";
import type { Assignment, Redirect } from "./types.ts";

/** A simple command while the source around it is still being read. */
export type CommandDraft = {
  readonly words: readonly WordToken[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  conditional: boolean;
};

export type Reader = {
  readonly tokens: readonly Token[];
  readonly source: string;
  at: number;
  depth: number;
  readonly drafts: CommandDraft[];
};
