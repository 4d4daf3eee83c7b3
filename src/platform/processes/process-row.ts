import { oneLine } from "@quoll/terminal-text/one-line";
/** One live process of the system's table. */
export type ProcessRow = {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** The start time of the process in a system-specific form: only compare for equality. */
  readonly startTime: string;
  /** True for a zombie process. */
  readonly isZombie: boolean;
  /** The command line for people; cut at 200 characters. */
  command(): string;
  /** True if the environment of the process contains the tag. False if the environment is unreadable. */
  carries(tag: string): boolean;
  /** True during execve, while its environment is not readable yet. */
  isStarting(): boolean;
};

/** The variable that marks processes started by Quoll. Tags of nested Quoll processes are joined by `:`. */
export const SPAWN_TAG_VARIABLE = "QUOLL_SPAWN";
/** The maximum number of nested Quoll processes whose tags are kept. */
const MAX_NESTED_TAGS = 8;
const MAX_COMMAND_COLUMNS = 200;

/** The value of the tag variable for a child: the tags that this process was started with, and the new tag. */
export function nestTag(inherited: string | undefined, tag: string): string {
  const outer = (inherited ?? "").split(":").filter((part) => /^[A-Za-z0-9-]+$/.test(part));
  return [...outer.slice(1 - MAX_NESTED_TAGS), tag].join(":");
}

/** True if an environment entry `NAME=value` is the tag variable and contains this tag. */
export function entryHasTag(entry: string, tag: string): boolean {
  const prefix = `${SPAWN_TAG_VARIABLE}=`;
  return entry.startsWith(prefix) && entry.slice(prefix.length).split(":").includes(tag);
}

export function shortCommand(text: string): string {
  return oneLine(text, MAX_COMMAND_COLUMNS);
}
