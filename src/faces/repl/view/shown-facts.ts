import { formatUsd } from "@quoll/terminal-text/format-amount";
import { joinedLines } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { EngineState } from "../../../contracts/engine.ts";
import { totalInputTokens } from "../../../contracts/message.ts";
import type { Transcript } from "../../../protocol/transcript/transcript.ts";
import { MODE_NAMES, type VimMode } from "../editor/vim/vim-state.ts";
import { GLYPHS, type Theme } from "./theme.ts";

type Mode = EngineState["mode"];

/** The facts of a session that the status line shows. */
export type SessionFacts = {
  readonly engine: Pick<
    EngineState,
    "mode" | "granted" | "model" | "usage" | "costUsd" | "usedTokens" | "windowTokens"
  >;
  readonly transcript: Transcript;
  readonly folder: string;
  readonly branch: string | undefined;
  /** The confinement of commands, in a word or two. */
  readonly sandbox?: string | undefined;
  /** The person's custom lines above, which make some parts of the status line redundant; safe to print. */
  readonly ownLines?: readonly string[];
  /** Short texts from extensions; safe to print. */
  readonly texts?: readonly string[];
  /** The mode of the prompt's vim keys. */
  readonly vim?: VimMode | undefined;
  readonly isAsked: boolean;
};

/** A fact that is cut keeps at least so many columns; otherwise it is left out. */
const MIN_CUT_COLUMNS = 6;
const SEPARATOR = " · ";

/** The texts of the facts. An empty text is not shown. */
type Facts = {
  readonly vim: string;
  readonly mode: string;
  /** The permissions that the person granted, after the mode. */
  readonly granted: string;
  readonly safety: string;
  readonly model: string;
  readonly place: string;
  readonly context: string;
  readonly unknownCost: string;
  /** Never left out. */
  readonly cost: string;
  readonly texts: string;
};

/** The facts that leave a line that is too narrow, in this order. */
const LEAVING = ["unknownCost", "place", "model", "texts", "granted", "safety", "context", "vim", "mode"] as const;

/**
 * `default · sonnet-5 · shop main* · ctx 11% · $0.04`: the facts of a resting session in at most `room` columns. The
 * others are cut or leave until the cost fits.
 */
export function restingFacts(view: SessionFacts, theme: Theme, room: number): string {
  let shown = factsOf(view);
  for (const name of LEAVING) {
    const over = textWidth(joined(shown, view, theme)) - room;
    if (over <= 0) break;
    const rest = textWidth(shown[name]) - over;
    // A part of a folder says less than the mode of the keys or a whole text.
    const canCut = name === "texts" || (name === "place" && shown.vim === "" && shown.texts === "");
    shown = { ...shown, [name]: canCut && rest >= MIN_CUT_COLUMNS ? truncateText(shown[name], rest) : "" };
  }
  return truncateText(joined(shown, view, theme), room);
}

/** `default · ctx 11% · $0.04`: the facts that change or matter while something runs. */
export function runningFacts(view: SessionFacts, theme: Theme): string {
  return joined({ ...factsOf(view), safety: "", model: "", place: "", texts: "" }, view, theme);
}

/** `INSERT · $0.04 · enter sends now`: a hint with the facts that stay beside it. */
export function lastingFacts(view: SessionFacts, theme: Theme, hint: string): string {
  const { vim, cost } = factsOf(view);
  return [paintedVim(vim, view, theme), theme.dim(cost), theme.dim(hint)].filter(Boolean).join(theme.dim(SEPARATOR));
}

/** `default · $0.04`: the facts for which a hint at rest makes room. */
export function leastFacts(view: SessionFacts, theme: Theme): string {
  const { mode, cost } = factsOf(view);
  return [paintedMode(mode, view, theme), theme.dim(cost)].filter(Boolean).join(theme.dim(SEPARATOR));
}

/** The cost of the session; empty if it is unknown, if nothing was used, and beside the person's own lines. */
export function knownCost({ engine, ownLines = [] }: Pick<SessionFacts, "engine" | "ownLines">): string {
  const isShown = engine.costUsd !== undefined && ownLines.length === 0;
  return isShown ? costText(engine) : "";
}

function costText({ usage, costUsd }: SessionFacts["engine"]): string {
  const isUsed = totalInputTokens(usage) + usage.outputTokens > 0;
  return isUsed ? formatUsd(costUsd, usage.estimated) : "";
}

/** The person's own lines make the model, the place, the window and the cost redundant. */
function factsOf(view: SessionFacts): Facts {
  const { engine, transcript, folder, branch, sandbox, texts = [], ownLines = [], vim, isAsked } = view;
  const used = transcript.context?.usedTokens ?? engine.usedTokens;
  const window = transcript.context?.windowTokens ?? engine.windowTokens;
  const isNearlyFull = used >= (transcript.context?.warnTokens ?? Number.POSITIVE_INFINITY);
  const hasOwn = ownLines.length > 0;
  const isContext = used > 0 && window > 0 && (isNearlyFull || !hasOwn);
  return {
    vim: vim === undefined || isAsked ? "" : MODE_NAMES[vim],
    mode: [MODE_GLYPHS[engine.mode], engine.mode].filter(Boolean).join(" "),
    granted: grantedText(engine.granted ?? []),
    safety: sandbox === undefined ? "" : joinedLines(sandbox),
    model: hasOwn ? "" : shortModel(engine.model),
    place: hasOwn ? "" : [joinedLines(folder), branch && joinedLines(branch)].filter(Boolean).join(" "),
    context: isContext ? `ctx ${percentText(used / window)}${isNearlyFull ? ` ${GLYPHS.warning}` : ""}` : "",
    unknownCost: hasOwn || engine.costUsd !== undefined ? "" : costText(engine),
    cost: knownCost(view),
    texts: texts.join(SEPARATOR),
  };
}

function joined(facts: Facts, view: SessionFacts, theme: Theme): string {
  const { vim, mode, granted, safety, model, place, context, unknownCost, cost, texts } = facts;
  const rest = [safety, model, place, context, unknownCost, cost, texts].filter(Boolean).join(SEPARATOR);
  const lead = mode === "" ? "" : paintedMode(mode, view, theme) + granted;
  return [paintedVim(vim, view, theme), lead, theme.dim(rest)].filter(Boolean).join(theme.dim(SEPARATOR));
}

function paintedVim(text: string, { vim }: Pick<SessionFacts, "vim">, theme: Theme): string {
  return vim === "insert" ? theme.dim(text) : theme.strong(text);
}

function paintedMode(text: string, { engine }: { readonly engine: { readonly mode: Mode } }, theme: Theme): string {
  if (engine.mode === "dontAsk" || engine.mode === "bypassPermissions") return theme.warning(text);
  return engine.mode === "default" ? theme.dim(text) : text;
}

/** Formats a share; a small share is never rounded to 0. */
function percentText(share: number): string {
  const percent = Math.min(100, Math.round(share * 100));
  return percent === 0 ? "<1%" : `${percent}%`;
}

/** A mark for each mode except the first: `▲` for a mode in which nobody is asked. */
const MODE_GLYPHS: Readonly<Record<Mode, string>> = {
  default: "",
  acceptEdits: "±",
  plan: "≡",
  auto: "◆",
  dontAsk: GLYPHS.warning,
  bypassPermissions: GLYPHS.warning,
};

/** The meaning of each mode in a few words. */
export const MODE_SENTENCES: Readonly<Record<Mode, string>> = {
  default: "Quoll asks before it changes anything",
  acceptEdits: "edits in the folder need no yes",
  plan: "nothing is changed before you agree to a plan",
  auto: "a model judges what may run",
  dontAsk: "what would be asked is refused",
  bypassPermissions: "commands run unasked, outside the sandbox",
};

/** `≡ plan: nothing is changed before you agree to a plan` */
export function modeSentence(mode: Mode, theme: Theme): string {
  const name = [MODE_GLYPHS[mode], mode].filter(Boolean).join(" ");
  return `${paintedMode(name, { engine: { mode } }, theme)}${theme.dim(`: ${MODE_SENTENCES[mode]}`)}`;
}

/** The rule that allows every edit in the project. */
const ALL_EDITS = "Edit(/**)";

/** The permissions that the person granted until the session ends, shown after the mode: ` +all edits`, ` +2 rules`. */
function grantedText(rules: readonly string[]): string {
  const others = rules.filter((rule) => rule !== ALL_EDITS).length;
  const parts = [rules.length > others ? "all edits" : "", others > 0 ? plural(others, "rule") : ""];
  return parts.map((part) => (part === "" ? "" : ` +${part}`)).join("");
}

/** Shortens `claude-sonnet-5-20260101` to `sonnet-5`, since the line needs room for other facts. */
export function shortModel(model: string): string {
  return joinedLines(model)
    .replace(/^.*\//, "")
    .replace(/^claude-/, "")
    .replace(/-\d{8}$/, "");
}
