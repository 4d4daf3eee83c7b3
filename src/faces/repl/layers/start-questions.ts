import { APPROVE_ONLY, type Approvable, type ApprovalRequest, COMPARED } from "../../../contracts/approval.ts";
import type { AboveRequest, TrustRequest } from "../../../contracts/permission.ts";
import type { AboveChoice, ApprovalChoice, StartQuestion, TrustChoice } from "./trust-state.ts";

const TRUST_ONLY = "Trust only what you would run yourself.";
const NOTHING_NOW = [
  "Nothing in this folder needs trust yet.",
  "If you trust it, settings that come later take effect,",
  "and git and similar programs run without a question.",
  TRUST_ONLY,
];
const WITHOUT = [
  "If not, these files have no effect; only rules that deny or ask hold.",
  "Git and similar programs ask before they run.",
  TRUST_ONLY,
];
const LEFT_OUT = "If you say no, it is left out until the next start.";
const REFUSING = "If you say no, it is left out until the next start; calls that a changed hook guards are refused.";

/** The question whether a folder is trusted. */
export function trustQuestion({ root, reasons, items, idleHooks = [] }: TrustRequest): StartQuestion<TrustChoice> {
  return {
    title: "Do you trust this folder?",
    root,
    reasons,
    intro: "If you trust it, this takes effect:",
    notes: [...(reasons.length > 0 ? [...comparison(items), ...WITHOUT] : NOTHING_NOW), ...idle(idleHooks)],
    options: [
      { key: "1", label: "Yes, in this session", answer: "session", isYes: true },
      { key: "2", label: "Yes, always", answer: "trust", isYes: true },
      { key: "3", label: "No, continue without trust", answer: "no", isYes: false },
      { key: "esc", label: "Leave", answer: "exit", isYes: false },
    ],
    noKey: "3",
  };
}

function idle(files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  return [`Hooks in ${files.join(" and ")} don't run,`, "with trust or without: quoll config import shows them."];
}

/** The question whether new or changed content of a trusted folder may run. */
export function approvalQuestion({
  root,
  reasons,
  items,
  hasChangedHook,
}: ApprovalRequest): StartQuestion<ApprovalChoice> {
  return {
    title: "Approve new content of this folder?",
    root,
    reasons,
    intro: "New or changed since you last approved content of this folder:",
    notes: [...comparison(items), hasChangedHook ? REFUSING : LEFT_OUT, APPROVE_ONLY],
    options: [
      { key: "1", label: "Yes", answer: "approve", isYes: true },
      { key: "2", label: "No, not now", answer: "no", isYes: false },
      { key: "esc", label: "Leave", answer: "exit", isYes: false },
    ],
    noKey: "2",
  };
}

/** The question whether the model gets the instruction files of folders above the project. */
export function aboveQuestion({ root, files }: AboveRequest): StartQuestion<AboveChoice> {
  return {
    title: "Read instruction files above this folder?",
    root,
    reasons: files,
    intro: "The model gets them if you say yes:",
    notes: [
      "Quoll remembers your answer for the folder of each file.",
      "The files are text: every call still needs permission.",
    ],
    options: [
      { key: "1", label: "Yes, read them", answer: "read", isYes: true },
      { key: "2", label: "No, leave them out", answer: "no", isYes: false },
      { key: "esc", label: "Leave", answer: "exit", isYes: false },
    ],
    noKey: "2",
  };
}

/** Plugins are compared as a whole; folders of extensions have their own description of the comparison. */
function comparison(items: readonly Approvable[]): readonly string[] {
  return items.some(({ kind }) => kind !== "plugin" && kind !== "extension") ? [COMPARED] : [];
}
