import { formatUsd } from "@quoll/terminal-text/format-amount";
import { joinedLines } from "@quoll/terminal-text/one-line";
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
  /** True if the permission mode must be seen: it is not the usual one, or has just changed. */
  readonly keepsMode?: boolean;
};

const SEPARATOR = " · ";

/** The texts of the facts. An empty text is not shown. */
type Facts = {
  readonly vim: string;
  readonly mode: string;
  /** The permissions that the person granted, after the mode. */
  readonly granted: string;
  readonly safety: string;
  readonly model: string;
  readonly folder: string;
  readonly branch: string;
  readonly context: string;
  readonly unknownCost: string;
  /** Never left out. */
  readonly cost: string;
  readonly texts: string;
};

/** A fact that gives way in a line that is too narrow. */
type GivingWay = {
  readonly fact: Exclude<keyof Facts, "cost">;
  /** Cut, the fact keeps at least so many columns; without a number, it is left out whole. */
  readonly least?: number;
  /** True if the fact stays where the cut is not enough. */
  readonly stays?: boolean;
};

/** The columns of a model's name that at least stay. */
const LEAST_MODEL_COLUMNS = 8;
/** The columns of the permission mode that at least stay: its mark and the beginning of its name. */
const LEAST_MODE_COLUMNS = 8;

/** The order in which facts give way, after the permissions became a number. */
const FIRST_GIVING_WAY: readonly GivingWay[] = [
  { fact: "unknownCost" },
  { fact: "folder", least: 6 },
  { fact: "texts", least: 6 },
  { fact: "model", least: 16, stays: true },
  { fact: "branch", least: 8 },
  { fact: "safety" },
  { fact: "granted" },
];
const CONTEXT: GivingWay = { fact: "context" };
const MODEL: GivingWay = { fact: "model", least: LEAST_MODEL_COLUMNS };
const VIM: GivingWay = { fact: "vim" };
const MODE: GivingWay = { fact: "mode" };

export type FactsRoom = {
  /** The columns for the facts. */
  readonly room: number;
  /** True if the model stays longer than the used share of its window and the mode of the keys. */
  readonly keepsModel: boolean;
};

/**
 * `default · sonnet-5 · shop main* · ctx 11% · $0.04`: the facts of a resting session in at most `room` columns. The
 * others are cut or leave until the cost fits.
 */
export function restingFacts(view: SessionFacts, theme: Theme, { room, keepsModel }: FactsRoom): string {
  const whole = factsOf(view);
  const overOf = (facts: Facts) => textWidth(joined(facts, view, theme)) - room;
  let shown = overOf(whole) <= 0 ? whole : { ...whole, granted: countedGrants(view) };
  const last = keepsModel ? [CONTEXT, VIM, MODEL, MODE] : [MODEL, CONTEXT, VIM, MODE];
  for (const { fact, least, stays = false } of [...FIRST_GIVING_WAY, ...last]) {
    const over = overOf(shown);
    if (over <= 0) break;
    const rest = textWidth(shown[fact]) - over;
    const kept = least === undefined || (rest < least && !stays) ? 0 : Math.max(rest, least);
    shown = { ...shown, [fact]: kept === 0 ? "" : truncateText(shown[fact], kept) };
  }
  return truncateText(joined(shown, view, theme), room);
}

/** `default · ctx 11% · $0.04`: the facts that change or matter while something runs. */
export function runningFacts(view: SessionFacts, theme: Theme): string {
  const hidden = { safety: "", model: "", folder: "", branch: "", texts: "" };
  return joined({ ...factsOf(view), ...hidden, granted: countedGrants(view) }, view, theme);
}

/** `INSERT · $0.04 · enter sends now`: a hint with the facts that stay beside it. */
export function lastingFacts(view: SessionFacts, theme: Theme, hint: string): string {
  const { vim, mode, cost } = factsOf(view);
  const shown = view.keepsMode === true ? paintedMode(mode, view, theme) : "";
  return [paintedVim(vim, view, theme), shown, theme.dim(cost), theme.dim(hint)]
    .filter(Boolean)
    .join(theme.dim(SEPARATOR));
}

/** `default · $0.04`: the facts for which everything else in the line makes room. */
export function leastFacts(view: SessionFacts, theme: Theme): string {
  const { mode, cost } = factsOf(view);
  return modeAndCost(mode, cost, view, theme);
}

/** `± acce… · $0.04`: the same in a narrow line. */
export function briefFacts(view: SessionFacts, theme: Theme): string {
  const { mode, cost } = factsOf(view);
  return modeAndCost(truncateText(mode, LEAST_MODE_COLUMNS), cost, view, theme);
}

function modeAndCost(mode: string, cost: string, view: SessionFacts, theme: Theme): string {
  return [paintedMode(mode, view, theme), theme.dim(cost)].filter(Boolean).join(theme.dim(SEPARATOR));
}

/** The columns of the mode of the keys, the mode, the model (cut) and the cost: a hint at rest leaves them if it can. */
export function keptColumns(view: SessionFacts): number {
  const { vim, mode, model, cost } = factsOf(view);
  const kept = [vim, mode, truncateText(model, LEAST_MODEL_COLUMNS), cost].filter(Boolean);
  return textWidth(kept.join(SEPARATOR));
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
    folder: hasOwn ? "" : joinedLines(folder),
    branch: hasOwn || branch === undefined ? "" : joinedLines(branch),
    context: isContext ? `ctx ${percentText(used / window)}${isNearlyFull ? ` ${GLYPHS.warning}` : ""}` : "",
    unknownCost: hasOwn || engine.costUsd !== undefined ? "" : costText(engine),
    cost: knownCost(view),
    texts: texts.join(SEPARATOR),
  };
}

function joined(facts: Facts, view: SessionFacts, theme: Theme): string {
  const { vim, mode, granted, safety, model, folder, branch, context, unknownCost, cost, texts } = facts;
  const place = [folder, branch].filter(Boolean).join(" ");
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
  bypassPermissions: "commands run unasked, outside the sandbox unless settings demand it",
};

/** `≡ plan: nothing is changed before you agree to a plan` */
export function modeSentence(mode: Mode, theme: Theme): string {
  const name = [MODE_GLYPHS[mode], mode].filter(Boolean).join(" ");
  return `${paintedMode(name, { engine: { mode } }, theme)}${theme.dim(`: ${MODE_SENTENCES[mode]}`)}`;
}

/** The rule that allows every edit in the project. */
const ALL_EDITS = "Edit(/**)";

/** The permissions that the person granted until the session ends, shown after the mode: ` +edits`, ` +2 allowed`, ` +edits +1`. */
function grantedText(rules: readonly string[]): string {
  const others = rules.filter((rule) => rule !== ALL_EDITS).length;
  const isEdits = rules.length > others;
  const rest = others === 0 ? "" : isEdits ? ` +${others}` : ` +${others} allowed`;
  return `${isEdits ? " +edits" : ""}${rest}`;
}

/** The same where columns are few: ` +2`. */
function countedGrants({ engine: { granted = [] } }: Pick<SessionFacts, "engine">): string {
  return granted.length === 0 ? "" : ` +${granted.length}`;
}

/** Shortens `claude-sonnet-5-20260101` to `sonnet-5`, since the line needs room for other facts. */
export function shortModel(model: string): string {
  return joinedLines(model)
    .replace(/^.*\//, "")
    .replace(/^claude-/, "")
    .replace(/-\d{8}$/, "");
}
