import { callOne, done, failed, problemOf, type StepRun } from "../calls.ts";
import { clip } from "../form.ts";
import type { Step } from "../step.ts";

const MAX_DESCRIPTION_CHARS = 60;
const ENDED_WELL = /^\[exit code 0\b[^\]]*\]$/;
const ENDED = /^\[(exit code [^\]]*|ended [^\]]*|timed out [^\]]*|interrupted [^\]]*)\]$/;

/** Runs a command and shows its output. */
export function* runCommand({ command }: Extract<Step, { form: "run" }>): StepRun {
  const description = `Run ${clip(command, MAX_DESCRIPTION_CHARS)}`;
  const answer = yield* callOne({ name: "Bash", input: { command, description } });
  const lines = answer.text.split("\n");
  // The command's output may contain such a line too; the real one is the last.
  const end = lines.findLastIndex((line) => (answer.isError ? ENDED : ENDED_WELL).test(line));
  if (end === -1)
    return answer.isError ? failed(problemOf(answer), answer.text.split("\n").slice(1).join("\n")) : done(answer.text);
  const output = lines.filter((_, index) => index !== end).join("\n");
  if (!answer.isError) return done(output);
  const how = ENDED.exec(lines[end] ?? "")?.[1] ?? "it failed";
  return failed(how.replace(/; the output stops there.*$/, ""), output === "(no output)" ? "" : output);
}
