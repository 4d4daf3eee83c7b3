/**
 * A part of a project or plugin that can run programs or loosen rules. A person approves the exact content of this
 * part.
 */
export type Approvable = {
  readonly kind: "hook" | "mcp-server" | "status-line" | "plugin" | "skill" | "agent" | "extension";
  /** Unique within its kind and project. */
  readonly name: string;
  /** The text that the person approves; Quoll asks again about any other text. */
  readonly content: string;
  /** Lines that show a person the effect; safe to print. */
  readonly lines: readonly string[];
  /** The reason why nobody can approve the content; its state is then `refused`. */
  readonly obstacle?: string;
};

/** `changed`: different content of the same name was approved before. `refused`: nobody can approve the content. */
export type ApprovalState = "approved" | "refused" | "changed" | "new";

/** A person's answers about the content of one project. In an untrusted folder, nothing is approved. */
export interface Approvals {
  state(item: Approvable): ApprovalState;
  /**
   * @param scope `always` saves the answer on disk, `session` does not.
   * @returns one line if the answer could not be saved.
   */
  approve(items: readonly Approvable[], scope: "always" | "session"): Promise<string | undefined>;
}

/** New or changed content of a trusted project, shown to the person before any of the content runs. */
export type ApprovalRequest = {
  /** The project root: absolute, symlinks resolved. */
  readonly root: string;
  readonly items: readonly Approvable[];
  /** One short line for each effect, safe to print; it says which items have changed. */
  readonly reasons: readonly string[];
  /** True if a hook that was approved before has changed: without an approval it refuses what it guards. */
  readonly hasChangedHook: boolean;
};

export const KIND_NAMES: Readonly<Record<Approvable["kind"], string>> = {
  hook: "hook",
  "mcp-server": "MCP server",
  "status-line": "status line",
  plugin: "plugin",
  skill: "skill",
  agent: "agent",
  extension: "folder of extensions",
};

/** Explains how far an approval reaches, for questions about programs. */
export const COMPARED = "Quoll notices changes to files that these commands name, but not to files that those load.";

export const APPROVE_ONLY = "Approve only what you would run yourself.";

/** Names an item in a sentence: "the MCP server db"; not yet safe to print. */
export function approvableLabel({ kind, name }: Approvable): string {
  return `the ${KIND_NAMES[kind]} ${name}`;
}
