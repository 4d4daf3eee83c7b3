/** A file that may hold an extension. No code of the file has run. */
export type ExtensionFile = {
  /** The name of the file without its extension, or the name of its folder. */
  readonly name: string;
  /** Absolute, symlinks resolved. */
  readonly file: string;
  /** The folder of an extension that consists of several files; absolute, symlinks resolved. */
  readonly folder?: string;
};

/** An extension in the list for a person. Every text of the listed extension is safe to print. */
export type ListedExtension = {
  readonly name: string;
  /** The path in short form. */
  readonly file: string;
  /** `yours`, `project`, `plugin shop`. */
  readonly origin: string;
  readonly isOn: boolean;
  /** True if the extension is left out because the person has not approved its content. */
  readonly isUnapproved?: true;
  /** One line for each kind of part: `tools: WordCount`. */
  readonly adds: readonly string[];
  /** The extension's faults in this session, newest first. */
  readonly faults: readonly string[];
};

/** The extensions of a session. */
export type ExtensionsView = {
  /** True if this runtime can load a changed module again. */
  readonly canReload: boolean;
  list(): readonly ListedExtension[];
  /** Lines about extensions of the project that are left out, because the person has not approved their content. */
  unapproved(): readonly string[];
};

/** Runs code of one extension, so that Quoll knows which extension is running. */
export type ExtensionCode = {
  /**
   * Runs code of the extension. If the function returns a promise, the extension counts as running until the promise
   * settles.
   */
  call<Value>(run: () => Value): Value;
  /** Runs code of Quoll that code of the extension calls. */
  leave<Value>(run: () => Value): Value;
};

/** The version of the extension API in this Quoll. */
export const EXTENSION_API_VERSION = 1;

/** The prefix for names of extension tools, so that they override no other tool: `ext__WordCount`. */
export const EXTENSION_TOOL_PREFIX = "ext__";
