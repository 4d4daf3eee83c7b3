import { plural } from "@quoll/terminal-text/plural";
import type { DiffHunk, Preview } from "../../../contracts/display.ts";
import type { CommandRisk, DialogBody, DialogQuestion } from "../../../contracts/question.ts";
import type { HunkMarks } from "../layers/hunk-marks.ts";
import type { Asking } from "../layers/open-question.ts";
import { consentText, isDangerous, questionOptions, withWords } from "../layers/question-options.ts";
import { rulesInWords } from "../layers/rule-words.ts";
import { reveal, revealLine } from "../view/reveal.ts";
import { changedLines } from "./plain-diff.ts";
import { markdownText } from "./plain-markdown.ts";
import { eachWithRole, ROLES, withRole } from "./spoken-text.ts";

/** A question as lines: what is asked, its subject in full, its dangers, why it is asked, and the numbered answers. */
export function questionLines(asking: Asking, count: number): readonly string[] {
  const { question, why, problem, isChoosingTerm } = asking;
  if (why) return [whyLine(asking)];
  const { body } = question;
  const subject = isChoosingTerm
    ? [revealLine(consentText(body))]
    : [...subjectLines(asking), ...dangerLines(body), ...reasonLines(asking)];
  const told = problem === undefined ? [] : withRole("error", [revealLine(problem)]);
  return [...withRole("question", [titleText(question, count)]), ...subject, ...told, ...answerLines(asking)];
}

function titleText({ title, agentLabel }: DialogQuestion, count: number): string {
  const who = agentLabel === undefined ? "" : ` Asked by ${agentLabel}.`;
  return `${revealLine(title)}${who}${count > 1 ? ` ${plural(count, "question")} wait; this is the first.` : ""}`;
}

function subjectLines({ question: { body }, edited, marks }: Asking): readonly string[] {
  const { kind, preview } = body;
  switch (preview.kind) {
    case "command":
      return commandLines(preview);
    case "diff":
      return changeLines(preview, marks);
    case "text": {
      const text = reveal(edited ?? preview.text);
      return kind === "plan" ? markdownText(text) : text.split("\n").filter((line) => line.trim() !== "");
    }
  }
}

function commandLines({ command, description, unclear }: Extract<Preview, { kind: "command" }>): readonly string[] {
  const purpose = revealLine(description.trim());
  const parts = unclear.map((part) => (part.trim() === command.trim() ? "the whole command" : revealLine(part)));
  return [
    ...reveal(command)
      .split("\n")
      .map((line) => `Command: ${line}`),
    ...(purpose === "" ? [] : [`Purpose: ${purpose}`]),
    ...eachWithRole(
      "warning",
      [...new Set(parts)].map((what) => `not understood: ${what}`),
    ),
  ];
}

function changeLines(
  { path, isNew, hunks }: Extract<Preview, { kind: "diff" }>,
  marks: HunkMarks | undefined,
): readonly string[] {
  const file = `File: ${revealLine(path)}${isNew ? ", new" : ""}`;
  const lines = (hunk: DiffHunk) => changedLines([hunk], { shown: revealLine });
  if (!marks) return [file, ...hunks.flatMap(lines)];
  return [file, ...hunks.flatMap((hunk, at) => [`Part ${at + 1} of ${marks.count}:`, ...lines(hunk)])];
}

function dangerLines(body: DialogBody): readonly string[] {
  const risks = body.kind === "permission" ? body.risks : undefined;
  return eachWithRole("warning", risks ? risks.map(riskText) : (body.hazards ?? []).map(revealLine));
}

function riskText({ command, risks }: CommandRisk): string {
  const told = risks.map(revealLine).join(", ");
  return command === "" ? told : `${revealLine(command)}: ${told}`;
}

/** Where the action would run, and why Quoll asks. The usual reason and the powers of the sandbox are told on demand. */
function reasonLines(asking: Asking): readonly string[] {
  const { body } = asking.question;
  if (body.kind === "spend" || body.kind === "wait") return [];
  const { confinement: place, isOutside, opensNetwork, isUsual, reach } = body.kind === "permission" ? body : {};
  const isExplained = asking.isExplained ?? isDangerous(asking.question);
  const isNamed = isOutside === true || opensNetwork === true;
  const where = place === undefined ? [] : [`${isNamed ? `${ROLES.warning}: runs` : "Runs"} ${revealLine(place)}.`];
  const isTold = body.reason !== "" && (isExplained || !isUsual);
  return [
    ...where,
    ...(isTold ? [`Why: ${revealLine(body.reason)}`] : []),
    ...(isExplained && reach !== undefined ? [`Sandbox: ${revealLine(reach)}`] : []),
  ];
}

function answerLines(asking: Asking): readonly string[] {
  const options = questionOptions(asking);
  const { question, choice, marks } = asking;
  const { body } = question;
  const planned = body.kind === "plan" ? body.rules : [];
  const takesWords = options.some(({ reply }) => reply === "say why");
  const isLettingAdd = options.some((option) => withWords(question, option, ""));
  const hasMore = body.kind === "permission" && (body.isUsual === true || body.reach !== undefined);
  const canExplain = hasMore && !(asking.isExplained ?? isDangerous(question));
  return [
    ...(planned.length > 0 ? [`A yes also allows: ${revealLine(rulesInWords(planned))}`] : []),
    ...options.map(({ key, label }) => `${key}: ${revealLine(label)}`),
    [
      `Type a number, then enter. Enter alone means ${choice}.`,
      ...(marks ? ['"take 1 3" takes these parts of the change.'] : []),
      ...(takesWords ? ["Other words say no, with the words as the reason."] : []),
      ...(isLettingAdd ? ['"1, but" and words says yes, with the words for the model.'] : []),
      ...(canExplain ? ['"explain" says more.'] : []),
    ].join(" "),
  ];
}

function whyLine({ question: { body }, choice, marks, question, isChoosingTerm }: Asking): string {
  if (body.kind === "form") return `${ROLES.question}: Type your answer, then enter.`;
  const chosen = questionOptions({ question, marks, isChoosingTerm }).find(({ key }) => key === choice);
  if (chosen?.isYes) return `${ROLES.question}: Type the words that go with ${revealLine(chosen.label)}, then enter.`;
  return `${ROLES.question}: Type what to do instead, or why not, then enter. Enter alone says no.`;
}
