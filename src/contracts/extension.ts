/** A file that may hold an extension. Nothing of it has run. */
export type ExtensionFile = {
  /** The name of the file without its ending, or of its folder. */
  readonly name: string;
  /** Absolute, symlinks resolved. */
  readonly file: string;
  /** The folder of an extension that is more than one file; absolute, symlinks resolved. */
  readonly folder?: string;
};

/** Who put an extension there. */
export type ExtensionOrigin =
  | { readonly kind: "user" | "project" }
  | { readonly kind: "plugin"; readonly plugin: string };

/** An extension as a person sees it. Every text is safe to print. */
export type ListedExtension = {
  readonly name: string;
  /** The path in short form. */
  readonly file: string;
  /** `yours`, `project`, `plugin shop`. */
  readonly origin: string;
  readonly isOn: boolean;
  /** Left out, because the person has not approved its content. */
  readonly isUnapproved?: true;
  /** One line for each kind of part: `tools: WordCount`. */
  readonly adds: readonly string[];
  /** Its faults in this session, the last one first. */
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

/** Runs the code of one extension, so that Quoll knows whose code runs. */
export type ExtensionCode = {
  /** Runs code of the extension. If it returns a promise, the code counts as running until that settles. */
  call<Value>(run: () => Value): Value;
  /** Runs code of Quoll that code of the extension calls. */
  leave<Value>(run: () => Value): Value;
};

/** The version of the API that this Quoll has. */
export const EXTENSION_API_VERSION = 1;

/** Stands before the names of tools of extensions, so that they replace no other tool: `ext__WordCount`. */
export const EXTENSION_TOOL_PREFIX = "ext__";
