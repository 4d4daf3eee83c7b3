/** One word of a command. */
export type ShellWord = {
  /** As written. */
  readonly source: string;
  /** After quote removal; undefined when it depends on an expansion that can't be known before it runs. */
  readonly value: string | undefined;
  /** True when unquoted `*`, `?` or `[` may make it several words (`value` is then the pattern). */
  readonly isGlob: boolean;
};

export type Assignment = { readonly name: string; readonly value: ShellWord; readonly source: string };

export type Redirect = {
  readonly source: string;
  /** `duplicate` is `2>&1` and the like: no file is named. Here-documents and here-strings are `inline`. */
  readonly direction: "read" | "write" | "duplicate" | "inline";
  readonly target: ShellWord;
};

/** One simple command, in the order in which the source names them. */
export type SimpleCommand = {
  /** The command as written, without its redirects and leading assignments. */
  readonly source: string;
  /** The command word and its arguments; empty for a bare assignment or a bare redirect. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /** True when it may not run, or runs in a subshell, so that a `cd` in it says nothing sure about what follows. */
  readonly conditional: boolean;
};

export type ParsedShell =
  | { readonly understood: true; readonly commands: readonly SimpleCommand[] }
  | {
      readonly understood: false;
      /** One plain phrase: why. */
      readonly reason: string;
      /** The pieces that were not understood, as written; at least one. */
      readonly unclear: readonly string[];
    };

export interface ShellParser {
  parse(source: string): ParsedShell;
}

export type Classification = {
  /** True only when the tables know this command with exactly these flags and argument shapes as read-only. */
  readonly readOnly: boolean;
  /** Operands that name files or folders which the command reads, as static values (relative to its folder). */
  readonly reads: readonly string[];
  /** Operands that name files which it writes, where the tables know. */
  readonly writes: readonly string[];
  /** What it destroys or publishes, in plain words; independent of `readOnly`. */
  readonly hazards: readonly string[];
};
