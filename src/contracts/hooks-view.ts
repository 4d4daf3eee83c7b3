import type { DeclaredHook } from "./declared-hook.ts";
import type { HookSettings } from "./hook-settings.ts";

/** One run of a hook. */
export type ShownRun = {
  /** The time of the run, in milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  /** One phrase: `ok`, `blocked`, `failed`, `interrupted`. */
  readonly outcome: string;
};

/** A hook of a settings file in a list. */
export type ListedHook = {
  readonly declared: DeclaredHook;
  /** The file in short form with its line: `.quoll/settings.json:12`. */
  readonly place: string;
  /** The last runs in this session, newest first. */
  readonly runs: readonly ShownRun[];
};

/** The hooks of a session as a person sees them. */
export type HooksView = {
  /** The person's own settings file, in short form. */
  readonly settingsFile: string;
  /** True if only managed hooks may run: in safe mode, or by the managed settings. */
  readonly hasManagedOnly?: boolean;
  list(): readonly ListedHook[];
  /** One line for each effect of the project's hooks that do not run because the person has not approved them. */
  unapproved(): readonly string[];
  /** Runs one hook with a sample of its event. @returns lines that show the input and the answer. */
  test(hook: ListedHook, signal: AbortSignal): Promise<readonly string[]>;
};

/** The command, address, tool or question of a hook: what a list shows of it. */
export function hookText({ type, command = "", args, url = "", server, tool, prompt = "" }: HookSettings): string {
  switch (type) {
    case "command":
      return [command, ...(args ?? [])].join(" ");
    case "http":
      return url;
    case "mcp_tool":
      return `${server}: ${tool}`;
    case "prompt":
    case "agent":
      return prompt;
  }
}
