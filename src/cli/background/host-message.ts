import type { ToScreen } from "../../faces/repl/port/remote-protocol.ts";

/** A message of a host; undefined for a line that is none. */
export function hostMessage(line: string): ToScreen | undefined {
  try {
    return JSON.parse(line) as ToScreen;
  } catch {
    return undefined;
  }
}
