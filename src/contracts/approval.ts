/** A part of a project or plugin that can run programs or loosen rules. A person approves its exact content. */
export type Approvable = {
  readonly kind: "hook" | "mcp-server" | "status-line" | "plugin" | "skill" | "agent" | "extension";
  /** Unique within its kind and project. */
  readonly name: string;
  /** The text that is approved; any other text is asked about again. */
  readonly content: string;
  /** Lines that show a person the effect; safe to print. */
  readonly lines: readonly string[];
  /** Why nobody can approve it; its state is then `refused`. */
  readonly obstacle?: string;
};

/** `changed`: another content of the same name was approved before. `refused`: nobody can approve it. */
export type ApprovalState = "approved" | "refused" | "changed" | "new";

/** The answers of a person about the content of one project. In an untrusted folder, nothing is approved. */
export interface Approvals {
  state(item: Approvable): ApprovalState;
  /** @param scope `always` is kept on disk, `session` is not. @returns one line if it could not be stored. */
  approve(items: readonly Approvable[], scope: "always" | "session"): Promise<string | undefined>;
}

/** New or changed content of a trusted project, shown to the person before anything of it runs. */
export type ApprovalRequest = {
  /** The project root: absolute, symlinks resolved. */
  readonly root: string;
  readonly items: readonly Approvable[];
  /** One short line for each effect, safe to print; says which items have changed. */
  readonly reasons: readonly string[];
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

/** How far an approval reaches, for questions about programs. */
export const COMPARED =
  "Changes of files that these commands name are noticed, changes of files that those load are not.";

export const APPROVE_ONLY = "Approve only what you would run yourself.";

/** An item in a sentence: "the MCP server db"; not yet safe to print. */
export function approvableLabel({ kind, name }: Approvable): string {
  return `the ${KIND_NAMES[kind]} ${name}`;
}
