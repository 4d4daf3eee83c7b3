import type { Found } from "./invocation.ts";

type Run = (...given: never[]) => number | Promise<number>;

/**
 * Makes the actions of commands whose code is loaded when one of them runs. A function of that code gets the command's
 * arguments, its options and Quoll's version, and returns the exit code.
 */
export function actions<Code>(found: Found, load: () => Promise<Code>) {
  return (choose: (code: Code) => Run) =>
    (...given: readonly unknown[]) =>
      found(async (version) => {
        const run = choose(await load()) as (...all: readonly unknown[]) => number | Promise<number>;
        // Commander appends the command itself.
        return run(...given.slice(0, -1), version);
      });
}
