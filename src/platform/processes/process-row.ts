/** One live process, as the system's table shows it. */
export type ProcessRow = {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** When it started, in the system's own form: only equality means something. */
  readonly startTime: string;
  /** True for a process that has ended and waits to be collected. */
  readonly isZombie: boolean;
  /** Its command line, for people; cut at 200 characters. */
  command(): string;
  /** Whether its environment holds our tag. False when the system does not let us look. */
  carries(tag: string): boolean;
  /** True while it is between two programs: it has no environment yet that could be read. */
  isStarting(): boolean;
};

/** The variable that marks what we start. Tags of Quolls inside of each other are joined by `:`. */
export const SPAWN_TAG_VARIABLE = "QUOLL_SPAWN";
/** Quolls inside of each other whose tags are carried on. */
const MAX_NESTED_TAGS = 8;
const MAX_COMMAND_CHARS = 200;

/** The value of the tag variable for a child: the tags that we were started with, and the new one. */
export function nestTag(inherited: string | undefined, tag: string): string {
  const outer = (inherited ?? "").split(":").filter((part) => /^[A-Za-z0-9-]+$/.test(part));
  return [...outer.slice(1 - MAX_NESTED_TAGS), tag].join(":");
}

/** Whether an environment entry `NAME=value` is our variable with this tag among its tags. */
export function entryHasTag(entry: string, tag: string): boolean {
  const prefix = `${SPAWN_TAG_VARIABLE}=`;
  return entry.startsWith(prefix) && entry.slice(prefix.length).split(":").includes(tag);
}

export function shortCommand(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_COMMAND_CHARS ? `${line.slice(0, MAX_COMMAND_CHARS - 1)}…` : line;
}
