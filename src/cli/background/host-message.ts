import type { ToScreen } from "../../protocol/remote-protocol.ts";

/** Parses a message of a host; undefined for any other line. */
export function hostMessage(line: string): ToScreen | undefined {
  try {
    return JSON.parse(line) as ToScreen;
  } catch {
    return undefined;
  }
}
