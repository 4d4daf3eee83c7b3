import { joinedLines } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { CommandRisk, DialogBody } from "../../../contracts/question.ts";
import { joinedHints } from "../keymap/key-help.ts";
import type { Block } from "../layers/layer.ts";
import type { Asking } from "../layers/open-question.ts";
import {
  consentText,
  isDangerous,
  meansYes,
  type QuestionOption,
  questionOptions,
  typedYes,
  withWords,
} from "../layers/question-options.ts";
import { rulesInWords } from "../layers/rule-words.ts";
import { answerLines, briefAnswers, grantsByAnswer, indented, oneAnswer } from "./option-lines.ts";
import { warningLines } from "./question-preview.ts";
import { revealLine } from "./reveal.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintsOf } from "./theme-hints.ts";
import { typedRows } from "./typed-rows.ts";

export type QuestionView = {
  readonly asking: Asking;
  /** The number of waiting questions, including this question. */
  readonly count: number;
  /** True if an editor for files is available. */
  readonly canEdit: boolean;
  /** True if the draft still takes the keys. */
  readonly isHeld?: boolean;
};

/** The maximum rows for each part around the preview. `isBrief`: the answers have a few words each. */
export type Caps = {
  readonly hazards: number;
  readonly reason: number;
  readonly details: number;
  readonly grants: number;
  readonly isBrief?: true;
};

type Capped = {
  readonly lines: readonly string[] /** The full text, if it is not shown completely. */;
  readonly rest: readonly string[];
};
export type Parts = {
  readonly above: readonly string[];
  readonly below: readonly string[];
  /** The full texts of the parts that are not shown completely. */
  readonly rests: readonly (readonly string[])[];
  readonly cursor?: Block["cursor"];
};
export type PartStyle = { readonly theme: Theme; readonly columns: number };

/** The maximum rows of details where everything fits. */
export const ALL_DETAILS = 20;
const NOTHING: Capped = { lines: [], rest: [] };
const ANSWER_LABEL = "answer: ";
const NO_LABEL = "No: ";
const YES_LABEL = "  but: ";
const MAX_WORD_ROWS = 6;
/** The share of a row that the command takes next to its danger. */
const MAX_COMMAND_SHARE = 0.45;
const MAX_PROBLEM_ROWS = 2;

/** The parts between the preview and the answers, and the answers. */
export function partsOf(view: QuestionView, caps: Caps, style: PartStyle): Parts {
  const { asking } = view;
  const hazards = hazardLines(asking.question.body, caps.hazards, style);
  const reason = reasonLines(asking, caps.reason, style);
  const details = detailLines(asking, caps.details, style);
  const grants = grantLines(asking, caps, style);
  const above = [...hazards.lines, ...reason.lines, ...details.lines, ...grants.lines];
  const rests = [hazards.rest, reason.rest, details.rest, grants.rest].filter((rest) => rest.length > 0);
  if (asking.why) {
    const words = wordLines(asking.why, asking, style);
    return { above, below: words.lines, rests, ...(words.cursor && { cursor: words.cursor }) };
  }
  return { above, below: [...optionLines(view, caps, style), ...keptLines(asking, style)], rests };
}

function optionLines(view: QuestionView, caps: Caps, style: PartStyle): readonly string[] {
  const { asking, isHeld = false } = view;
  const options = questionOptions(asking);
  const choice = isHeld ? "" : asking.choice;
  const problem = asking.problem !== undefined ? problemLines(asking.problem, style) : [];
  const below = isHeld ? heldLines(style) : problem.length > 0 ? problem : partHint(view, style);
  const last = caps.reason > 0 || isHeld ? below : [];
  if (caps.isBrief) return [...briefAnswers(options, choice, style).lines, ...last];
  const hints = isHeld || problem.length > 0 ? [] : answerHints(view, options, style);
  return [...answerLines(options, choice, hints, style), ...last];
}

/** The dangers: for several commands, one row each with the dangers next to the command. */
function hazardLines(body: DialogBody, max: number, style: PartStyle): Capped {
  const { theme, columns } = style;
  const { hazards = [] } = body;
  const risks = body.kind === "permission" ? body.risks : undefined;
  if (hazards.length === 0) return NOTHING;
  const inOne = hazards.map((hazard) => `${theme.warning(GLYPHS.warning)} ${revealLine(hazard)}`).join("   ");
  if (!risks && textWidth(inOne) <= columns) return { lines: [inOne], rest: [] };
  const lines = risks
    ? riskLines(risks, style)
    : hazards.flatMap((hazard) => warningLines(revealLine(hazard), columns, theme));
  if (lines.length <= max) return { lines, rest: [] };
  const more = theme.warning(truncateText(`${GLYPHS.warning} … ${hazards.length} dangers in all: PgDn`, columns));
  return { lines: [...lines.slice(0, max - 1), more], rest: lines };
}

function riskLines(risks: readonly CommandRisk[], { theme, columns }: PartStyle): readonly string[] {
  const names = risks.map(({ command }) => revealLine(command));
  const most = Math.floor(columns * MAX_COMMAND_SHARE);
  const width = Math.min(most, Math.max(...names.map((name) => textWidth(name))));
  return risks.flatMap(({ risks: texts }, at) => {
    const name = padText(truncateText(names[at] ?? "", width), width);
    const lead = `${GLYPHS.warning} ${name}  `;
    const told = wrapText(texts.map(revealLine).join(", "), columns - textWidth(lead));
    return told.map((line, row) =>
      row === 0 ? `${theme.warning(GLYPHS.warning)} ${name}  ${line}` : " ".repeat(textWidth(lead)) + line,
    );
  });
}

/** Why Quoll asks, and where the action would run if that is not simply the sandbox. */
function reasonLines(asking: Asking, max: number, { theme, columns }: PartStyle): Capped {
  const { body } = asking.question;
  // These questions already contain their reason.
  if (body.kind === "spend" || body.kind === "wait") return NOTHING;
  // The previous step showed the reason, and the permission to be granted needs the room.
  if (asking.isChoosingTerm) return NOTHING;
  const reason = body.kind === "permission" && body.isUsual ? "" : revealLine(body.reason);
  const named = placeOf(body);
  const place = named === undefined ? "" : `${named}.`;
  const sign = named === undefined ? "" : `${GLYPHS.warning} `;
  const room = columns - textWidth(sign);
  const wrapped = wrapText(`${place} ${reason}`.trim(), room).filter((line) => line !== "");
  // Further rows begin below the words, not below the sign.
  const lines = wrapped.map((line, at) =>
    sign !== "" && at === 0
      ? paintPlace(sign + line, sign + place, theme)
      : theme.dim(" ".repeat(textWidth(sign)) + line),
  );
  return capped(lines, max, (line) => `${truncateText(line, columns - 2)}${theme.dim(" …")}`);
}

/** Where a call runs that leaves the sandbox or opens it to hosts; undefined for other calls. */
export function placeOf(body: DialogBody): string | undefined {
  if (body.kind !== "permission" || body.confinement === undefined) return undefined;
  return body.isOutside || body.opensNetwork ? capitalised(revealLine(body.confinement)) : undefined;
}

function capped(lines: readonly string[], max: number, cut: (line: string) => string): Capped {
  if (lines.length <= max) return { lines, rest: [] };
  if (max === 0) return { lines: [], rest: lines };
  return { lines: [...lines.slice(0, max - 1), cut(lines[max - 1] ?? "")], rest: lines };
}

/** Leaving the sandbox is shown more prominently than the reason. */
function paintPlace(line: string, place: string, theme: Theme): string {
  return line.startsWith(place) ? theme.warning(place) + theme.dim(line.slice(place.length)) : theme.warning(line);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A sentence as the rest of another sentence: `you have not allowed it yet`. */
function clause(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}

/** The usual reason, the powers of the sandbox and the rules of each answer: on demand, or at once if a yes is dangerous. */
function detailLines(asking: Asking, max: number, style: PartStyle): Capped {
  const { theme, columns } = style;
  if (!(asking.isExplained ?? isDangerous(asking.question)) || asking.isChoosingTerm || asking.why) return NOTHING;
  // Details that nobody opened repeat the answers: they take no room from anything else.
  if (!asking.isExplained && max < ALL_DETAILS) return NOTHING;
  const rows = detailsOf(asking);
  const width = Math.max(0, ...rows.map(({ lead }) => lead.length)) + 2;
  const lines = rows.flatMap(({ lead, text }) => indented(lead.padEnd(width), text, style));
  if (lines.length <= max) return { lines, rest: [] };
  return { lines: max === 0 ? [] : [theme.dim(truncateText("… the details are above: PgDn", columns))], rest: lines };
}

/** True if there is more to tell about a question than its box shows at first. */
export function hasDetails(asking: Asking): boolean {
  return !asking.isChoosingTerm && detailsOf(asking).length > 0;
}

function detailsOf(asking: Asking): readonly { readonly lead: string; readonly text: string }[] {
  const { body } = asking.question;
  const { isUsual, reach } = body.kind === "permission" ? body : {};
  const adding = grantsByAnswer(questionOptions(asking), ({ rules }) => rules.join(", "));
  return [
    ...(isUsual ? [{ lead: "asked because", text: clause(revealLine(body.reason)) }] : []),
    ...(reach === undefined ? [] : [{ lead: "the sandbox", text: revealLine(reach) }]),
    ...adding.map(({ keys, text }) => ({ lead: `${keys.join(", ")} add${keys.length > 1 ? "" : "s"}`, text })),
  ];
}

/** The permissions that an answer would add and that its own words do not name. */
function grantLines(asking: Asking, { grants: max, isBrief }: Caps, style: PartStyle): Capped {
  const { theme, columns } = style;
  const { body } = asking.question;
  if (asking.why && body.kind !== "plan" && !asking.isChoosingTerm) return NOTHING;
  const lines = asking.isChoosingTerm
    ? wrapText(revealLine(consentText(body)), columns)
    : body.kind === "plan" && body.rules.length > 0
      ? indented("A yes also allows: ", revealLine(rulesInWords(body.rules)), style)
      : isBrief
        ? briefAnswers(questionOptions(asking), "", style).rules
        : [];
  if (lines.length <= max) return { lines, rest: [] };
  const note = theme.warning(truncateText(`${GLYPHS.warning} what is allowed is listed above: PgDn`, columns));
  return { lines: [note], rest: lines };
}

function problemLines(problem: string, { theme, columns }: PartStyle): readonly string[] {
  return wrapText(`${GLYPHS.failed} ${revealLine(problem)}`, columns)
    .slice(0, MAX_PROBLEM_ROWS)
    .map(theme.failed);
}

/** A form's text may be a password. */
function keptLines(asking: Asking, { theme, columns }: PartStyle): readonly string[] {
  const { keptWhy, isKeptForYes, question } = asking;
  const text = question.body.kind === "form" ? "" : joinedLines(keptWhy?.text.trim() ?? "");
  const lead = isKeptForYes ? "kept for a yes" : "kept for a no";
  return text === "" ? [] : [theme.dim(truncateText(`${GLYPHS.prompt} ${lead}: ${text}`, columns))];
}

export function heldLines({ theme, columns }: PartStyle): readonly string[] {
  const words = ["You are typing: your draft has the keys until you pause for a second.", "Pause a second to answer."];
  const fitting = words.find((one) => textWidth(one) + 2 <= columns) ?? words.at(-1) ?? "";
  return [theme.warning(truncateText(`${GLYPHS.info} ${fitting}`, columns))];
}

/** The keys for the marked answer, the longest hint first. */
function answerHints({ asking, canEdit }: QuestionView, options: readonly QuestionOption[], { theme }: PartStyle) {
  const { question, choice } = asking;
  const { preview } = question.body;
  const key = hintsOf(theme, "question");
  const marked = options.find((option) => option.key === choice);
  const words = marked && withWords(question, marked, "") ? key("add words", "question.words") : "";
  const isShown = asking.isExplained ?? isDangerous(question);
  const explain = hasDetails(asking) ? key(isShown ? "hide details" : "explain", "question.explain") : "";
  const hasFile = preview.kind === "text" && preview.file !== undefined && canEdit;
  const edit = hasFile ? key("edit the text", "question.edit") : "";
  const last = explain || edit;
  return [joinedHints(words, last), last].filter((hint, at, all) => hint !== "" && all.indexOf(hint) === at);
}

/** The keys for the parts of a change. */
function partHint({ asking }: QuestionView, { theme, columns }: PartStyle): readonly string[] {
  if (!asking.marks) return [];
  const isYes = questionOptions(asking).some(({ key, isYes }) => isYes && key === asking.choice);
  const key = hintsOf(theme, "question");
  const enter = key(isYes ? "applies" : "answers", "question.accept");
  const hints = [
    joinedHints(
      key("take/leave", "question.toggle"),
      key("all", "question.takeAll"),
      key("none", "question.takeNone"),
      key("part", "question.up", "question.down"),
      enter,
    ),
    joinedHints(
      key("", "question.toggle", "question.takeAll", "question.takeNone"),
      key("", "question.up", "question.down"),
      enter,
    ),
  ];
  const fitting = hints.find((hint) => textWidth(hint) + 2 <= columns) ?? hints.at(-1) ?? "";
  return [theme.dim(truncateText(`  ${fitting}`, columns))];
}

/** The line for the words with an answer. A yes is repeated above it, because its words name what it allows. */
function wordLines(why: NonNullable<Asking["why"]>, asking: Asking, style: PartStyle): Block {
  const { theme, columns } = style;
  const isForm = asking.question.body.kind === "form";
  const chosen = questionOptions(asking).find(({ key }) => key === asking.choice);
  const isYes = !isForm && chosen?.isYes === true;
  const isTypedYes = !isForm && !isYes && meansYes(why.text) && typedYes(asking, true) !== undefined;
  const above = isYes && chosen ? oneAnswer(chosen, true, style) : [];
  const label = isYes ? YES_LABEL : isForm || isTypedYes ? ANSWER_LABEL : NO_LABEL;
  const typed = typedRows(why, label, { theme, columns, maxRows: MAX_WORD_ROWS });
  const more = typed.above > 0 ? ` · ${plural(typed.above, "row")} above` : "";
  const key = hintsOf(theme, "reason");
  const keys = joinedHints(key(isTypedYes ? "says yes" : "sends it", "reason.send"), key("goes back", "reason.back"));
  const { problem } = asking;
  const hint =
    problem === undefined
      ? theme.dim(truncateText(`${isYes ? "  " : ""}${keys}${more}`, columns))
      : theme.warning(truncateText(`${GLYPHS.info} ${problem}`, columns));
  const cursor = { x: typed.cursor.x, y: typed.cursor.y + above.length };
  return { lines: [...above, ...typed.lines, hint], cursor };
}
