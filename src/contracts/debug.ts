/** The parts of a session that `--debug` can be narrowed to. Faults of Quoll itself are always logged. */
export const DEBUG_TOPICS = ["api", "tools", "permissions", "hooks", "ui"] as const;
export type DebugTopic = (typeof DEBUG_TOPICS)[number];

/**
 * Records an error that is a fault of Quoll, so that its stack isn't lost. Never throws.
 * @returns one phrase that says where the stack is found, or how to get it.
 */
export type NoteFault = (error: unknown) => string;

/** Appends the place of the stack to a message, if `noteFault` named one. */
export function withLogPath(message: string, place: string | undefined): string {
  return place ? `${message} (${place})` : message;
}
