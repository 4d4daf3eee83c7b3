/** The topics to which `--debug` can be limited. Faults of Quoll itself are always logged. */
export const DEBUG_TOPICS = ["api", "tools", "permissions", "hooks", "ui"] as const;
export type DebugTopic = (typeof DEBUG_TOPICS)[number];

/**
 * Records an error that is a bug in Quoll, so that its stack is not lost. Never throws.
 * @returns one phrase that says where to find the stack, or how to get it.
 */
export type NoteFault = (error: unknown) => string;

/** Appends the place of the stack to a message, if `noteFault` named one. */
export function withLogPath(message: string, place: string | undefined): string {
  return place ? `${message} (${place})` : message;
}
