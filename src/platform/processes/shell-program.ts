import { basename } from "node:path";
import { findBash } from "./find-program.ts";

const FALLBACK_SHELL = "/bin/sh";
/**
 * The words between bash and a command. Without them, a bash that takes itself for a remote shell reads `~/.bashrc`
 * before the command (run_startup_files in its shell.c): its stdin is a socket, or SSH_CLIENT is set.
 */
export const BASH_ARGUMENTS: readonly string[] = ["--noprofile", "--norc", "-c"];

/** The shell for commands that settings and files name: bash, or else the system's POSIX shell. */
export function findShell(path: string, isTrusted: (file: string) => boolean): string {
  return findBash(path, isTrusted) ?? FALLBACK_SHELL;
}

/**
 * The program that runs a command in a shell that reads no start-up file. A POSIX shell reads none for a command. The
 * environment must have none of the variables that `withoutStartUp` drops.
 */
export function shellProgram(shell: string, command: string) {
  return { file: shell, args: basename(shell) === "bash" ? [...BASH_ARGUMENTS, command] : ["-c", command] };
}
