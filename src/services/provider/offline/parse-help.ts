import type { Cursor } from "./cursor.ts";
import type { Step } from "./step.ts";

const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  what: [
    "can you do",
    "can you understand",
    "do you do",
    "do you know",
    "do you understand",
    "are you",
    "can i ask",
    "can i do",
    "can i say",
    "can i type",
  ],
  how: ["do you work", "does this work", "does it work", "do i use you", "do i use this", "do i use quoll"],
  who: ["are you"],
};

/** `what can you do`, `help`, `?`. */
export function parseHelp(cursor: Cursor, verb: string): Step | undefined {
  const questions = QUESTIONS[verb];
  if (questions ? cursor.oneOf(questions) === undefined : false) return undefined;
  cursor.oneOf(["me", "for me", "here", "offline"]);
  return cursor.atEnd || cursor.rest() === "?" ? { form: "help" } : undefined;
}
