import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { isAnswer } from "./exit-answer.ts";

/** The exit code of a program whose reader ended first: `yes | head -1`. */
const SIGPIPE_CODE = 141;

/** True if the last command of a line reads what another one writes. */
export function endsInPipe(commands: readonly SimpleCommand[]): boolean {
  return commands.findLast(isOfLine)?.isPiped === true;
}

/**
 * Names the exit codes of a pipe at the end of a line that succeeded, if a command before its last one failed:
 * `PIPESTATUS 1 0`.
 * @param codes One for each part of the pipe that the shell ran last; empty if unknown. A line without a pipe has one too,
 * which may be that of a condition: `if false; then …; fi`.
 * @returns undefined if none failed; `grep` without a match has not failed, nor has a program whose reader ended first.
 */
export function failedInPipe(codes: readonly number[], commands: readonly SimpleCommand[]): string | undefined {
  if (codes.length < 2 || codes.at(-1) !== 0 || !endsInPipe(commands)) return undefined;
  const line = commands.filter(isOfLine);
  const parts = line.slice(
    Math.max(
      0,
      line.findLastIndex(({ isPiped }) => isPiped !== true),
    ),
  );
  // Of a loop or a group in the pipe, it is unknown which command has which code.
  const isEachOne = parts.length === codes.length;
  const mayAnswer = (index: number) => parts.some((part, at) => (!isEachOne || at === index) && isAnswer(part));
  const isFailure = (code: number, index: number) =>
    code !== 0 && code !== SIGPIPE_CODE && !(code === 1 && mayAnswer(index));
  return codes.some(isFailure) ? `PIPESTATUS ${codes.join(" ")}` : undefined;
}

function isOfLine({ within, words }: SimpleCommand): boolean {
  return within.length === 0 && words.length > 0;
}
