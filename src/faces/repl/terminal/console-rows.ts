import { format } from "node:util";

const METHODS = ["debug", "error", "info", "log", "warn"] as const;

/**
 * Passes on what code, usually of a library, writes to the console, because it would stand in the middle of the frame.
 * @returns the function that gives the console back.
 */
export function takeConsole(notify: (text: string) => void): () => void {
  const own = METHODS.map((name) => [name, console[name]] as const);
  for (const name of METHODS) console[name] = (...parts: unknown[]) => notify(format(...parts));
  return () => {
    for (const [name, method] of own) console[name] = method;
  };
}
