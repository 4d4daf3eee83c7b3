import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { isAnswer } from "./exit-answer.ts";

/** The exit code of a program whose reader ended first: `yes | head -1`. */
const SIGPIPE_CODE = 141;

/** True if the last command of a line reads what another one writes. */
export function endsInPipe(commands: readonly SimpleCommand[]): boolean {
  return commands.findLast(isOfLine)?.isPiped === true;
}

/**
 * Names the exit codes of a pipe whose last command succeeded, if one before it failed: `PIPESTATUS 1 0`.
 * @param codes One for each part of the pipe that the shell ran last; empty if unknown.
 * @returns undefined if none failed; `grep` without a match has not failed, nor has a program whose reader ended first.
 */
export function failedInPipe(codes: readonly number[], commands: readonly SimpleCommand[]): string | undefined {
  const parts = commands.filter(isOfLine).slice(-codes.length);
  const isFailure = (code: number, index: number) => {
    const part = parts[index];
    return code !== 0 && code !== SIGPIPE_CODE && !(code === 1 && part && isAnswer(part));
  };
  return codes.some(isFailure) ? `PIPESTATUS ${codes.join(" ")}` : undefined;
}

function isOfLine({ within, words }: SimpleCommand): boolean {
  return within.length === 0 && words.length > 0;
}
