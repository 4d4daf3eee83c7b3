/** Names of functions that a test could replace; a file that leaves one replaced changes the results of the files after it. */
const GLOBALS = ["Date", "fetch", "queueMicrotask", "setImmediate", "setInterval", "setTimeout"] as const;
/** Events whose listeners keep a fault from being seen. Listeners for signals come and go with children that still run. */
const FAULTS = ["uncaughtException", "unhandledRejection"] as const;

/** Variables that the Agent SDK sets in the process that loads it; no test reads them. */
const OF_THE_SDK = new Set(["CLAUDE_AGENT_SDK_VERSION", "NoDefaultCurrentDirectoryInExePath"]);

/**
 * Everything of this process that the files after a test file would see: its environment, its folder, its file mode mask, its
 * global functions and its listeners for faults.
 */
export function processState(): ReadonlyMap<string, unknown> {
  const environment = Object.entries(process.env)
    .filter(([name]) => !OF_THE_SDK.has(name))
    .map(([name, value]) => [`process.env.${name}`, value] as const);
  const globals = GLOBALS.map((name) => [`globalThis.${name}`, globalThis[name]] as const);
  const listeners = FAULTS.map((event) => [`the listeners for ${event}`, process.listenerCount(event)] as const);
  return new Map<string, unknown>([
    ...environment,
    ...globals,
    ...listeners,
    ["the working directory", process.cwd()],
    ["the file mode mask", process.umask()],
    ["process.exit", process.exit],
    ["Math.random", Math.random],
  ]);
}

/** The names of what differs between two states. */
export function leaksBetween(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}
