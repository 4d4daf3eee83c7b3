const { exit } = process;

/**
 * Ends the process, even while `process.exit` is withheld from extensions. Without a code, `process.exitCode` applies.
 */
export function exitProcess(code?: number): never {
  // Node takes a code that is given as undefined for success.
  return code === undefined ? exit.call(process) : exit.call(process, code);
}
