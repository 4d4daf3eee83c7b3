/** The editor for files and drafts, for a person. */
export type Editors = {
  /** The command that opens files, and the source of this choice; absent if there is none. */
  readonly current: { readonly command: string; readonly from: string } | undefined;
  /** Commands of the installed editors. */
  readonly found: readonly string[];
};

/** How commands are confined, for a person. */
export type SandboxView = {
  /** The findings about this machine, the verdict first, without a full stop. */
  readonly findings: readonly {
    readonly level: "ok" | "note" | "problem";
    readonly text: string;
    readonly fix?: string;
  }[];
  readonly isSwitchedOff: boolean;
  /** True if commands of this session run in a sandbox now. */
  readonly isInUse: boolean;
};

/** The terminal's own answers since the start; a property is absent if the terminal did not answer. */
export type TerminalAnswers = {
  /** The protocol by which keys such as shift+enter come. */
  readonly keys?: "kitty" | "xterm";
  readonly background?: "dark" | "light";
  /** Its kind, as it names it (secondary device attributes): `41;390;0` is an xterm. */
  readonly device?: string;
};

/** The person's terminal. */
export type TerminalView = {
  readonly name: string;
  /** The features of the terminal, one line each. */
  readonly lines: readonly string[];
  /** How to type a new line in the terminal, one line each. */
  readonly newLine: readonly string[];
  /** The terminal's key bindings file, if Quoll can bind shift+enter in it; absent if nothing is missing. */
  readonly keysFile?: string;
  /** Binds shift+enter there. @returns a line. @throws {UserFacingError} (as a rejection) the file can't be read or written. */
  bindKeys?(): Promise<string>;
};
