import type { SimpleCommand } from "@quoll/bash-syntax/types";
import { byWord, words } from "../../../contracts/words.ts";

/** Programs whose exit code 1 is an answer, with its meaning; errors of theirs have larger codes. */
const ANSWERS = byWord({
  "no match": "grep egrep fgrep zgrep rg ag pgrep",
  "they differ": "diff cmp colordiff",
  false: "test [ [[",
  "not found": "which type",
});
/** Subcommands of git of the same kind; diff says so only with an option. */
const GIT_ANSWERS = byWord({
  "no match": "grep check-ignore show-ref",
  false: "merge-base",
  "they differ": "diff",
});
/** The exit code of a program whose reader ended first: `yes | head -1`. */
const SIGPIPE_CODE = 141;
/** Commands that do not fail with code 1 without a word of their own. */
const HARMLESS: ReadonlySet<string> = new Set(["cd", "echo", "printf", "true", ":", "export", "sleep"]);
/** Commands that say something when they fail: if nothing was printed, they did not run. */
const SPEAKING: ReadonlySet<string> = new Set(words("cat head tail ls wc sed awk rm cp mv mkdir"));
/** A line that the shell itself wrote about a failure. */
const SHELL_FAILURE = /^(?:bash|\S*\/bash): line \d+: /m;
const REDIRECT = /\d*[<>]{1,2}&?\s*\S+/g;
const OPERATOR = /\|\||&&|\||;|\n|&/g;
const END = /^[\s;]*(?:done|fi|esac|\)|\})?[\s;]*$/;

/**
 * Explains exit code 1 of a line if it is an answer and no failure: `grep` found nothing, files differ, a condition
 * does not hold. Empty if it is an answer that the line negates.
 * @param output What the line printed.
 * @returns undefined if the code is a failure, or if that is unclear.
 */
export function exitAnswer(command: string, commands: readonly SimpleCommand[], output: string): string | undefined {
  if (/\bpipefail\b/.test(command) || SHELL_FAILURE.test(output)) return undefined;
  const places = placesOf(command, commands);
  const last = places?.at(-1);
  if (!places || !last || !END.test(command.slice(last.end).replace(REDIRECT, ""))) return undefined;
  const decides = decidingPlace(command, places, output);
  const answer = decides === undefined ? undefined : answerOf(decides.one);
  if (decides === undefined || answer === undefined) return undefined;
  for (let at = places.indexOf(decides); at > 0; at -= 1) {
    const operator = operatorBefore(command, places, at);
    const before = places[at - 1];
    if (operator === ";" || operator === "\n") break;
    if (operator === "|") continue;
    if (!before || (operator !== "&&" && operator !== "||")) return undefined;
    if (!HARMLESS.has(nameOf(before.one)) && answerOf(before.one) === undefined) return undefined;
  }
  const isNegated = /!\s*$/.test(command.slice(0, decides.start));
  return isNegated ? "" : answer;
}

/** The command that set the exit code: in `test -f x && cat x` it is `test` if nothing was printed. */
function decidingPlace(command: string, places: readonly Place[], output: string): Place | undefined {
  for (let at = places.length - 1; at >= 0; at -= 1) {
    const place = places[at];
    if (!place || answerOf(place.one) !== undefined) return place;
    const name = nameOf(place.one);
    const didNotFail = HARMLESS.has(name) || (SPEAKING.has(name) && output.trim() === "");
    if (!didNotFail || operatorBefore(command, places, at) !== "&&") return undefined;
  }
  return undefined;
}

/** The operator between a command and the one before it. */
function operatorBefore(command: string, places: readonly Place[], at: number): string | undefined {
  const [before, here] = [places[at - 1], places[at]];
  if (!before || !here) return undefined;
  return command.slice(before.end, here.start).replace(REDIRECT, "").match(OPERATOR)?.at(-1);
}

type Place = { readonly one: SimpleCommand; readonly start: number; readonly end: number };

/** The places of the commands in their line; undefined if one of them is not written in one piece. */
function placesOf(command: string, commands: readonly SimpleCommand[]): readonly Place[] | undefined {
  const places: Place[] = [];
  let from = 0;
  for (const one of commands) {
    if (one.within.length > 0 || one.words.length === 0) continue;
    const start = command.indexOf(one.source, from);
    if (start < 0) return undefined;
    from = start + one.source.length;
    places.push({ one, start, end: from });
  }
  return places;
}

function nameOf({ words }: SimpleCommand): string {
  return words[0]?.value?.split("/").at(-1) ?? "";
}

/** True if exit code 1 of this command may be an answer and no failure. */
function isAnswer(command: SimpleCommand): boolean {
  return answerOf(command) !== undefined;
}

function answerOf(command: SimpleCommand): string | undefined {
  const name = nameOf(command);
  const words = command.words.map(({ value }) => value ?? "");
  if (name === "command") return words[1] === "-v" || words[1] === "-V" ? "not found" : undefined;
  if (name !== "git") return Object.hasOwn(ANSWERS, name) ? ANSWERS[name] : undefined;
  const at = words.findIndex(
    (word, index) => index > 0 && !word.startsWith("-") && !/^-[cC]$/.test(words[index - 1] ?? ""),
  );
  const subcommand = words[at] ?? "";
  return Object.hasOwn(GIT_ANSWERS, subcommand) ? GIT_ANSWERS[subcommand] : undefined;
}

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
