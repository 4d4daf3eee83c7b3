/**
 * The decider about a call: a permission rule, the mode, a hook, the person, the judge of mode auto, the protection of
 * a path, the guard of data without a backup, or the sandbox. `default`: nothing covers the call, or it needs no rule.
 * `recording`: the recording that a replay repeats.
 */
export type DeciderKind =
  | "rule"
  | "mode"
  | "hook"
  | "person"
  | "judge"
  | "protected"
  | "guard"
  | "sandbox"
  | "default"
  | "recording";

/** The decider as facts. `decidedByText` makes the text for people; no code reads meaning from that text. */
export type DecidedBy = {
  readonly kind: DeciderKind;
  /** The rule as written, if one decided. */
  readonly rule?: string;
  /** The file and line of the rule; the hook, with its event and file. Hooks that a program registers have no name. */
  readonly source?: string;
  /** The cause in words, for people. Of a person: their message. */
  readonly reason?: string;
  /** The answer of a person who allowed the call: the `decision` of their reply, or "a part". */
  readonly answer?: string;
};

/** The maximum length of a hook's reason on the line of a refused call. */
const MAX_REASON_CHARS = 120;

/** The decider for people: the rule with its source, the mode, the person's answer, the hook with its reason. */
export function decidedByText({ kind, rule, source, reason, answer }: DecidedBy): string {
  switch (kind) {
    case "person":
      return withReason("the user's answer", answer);
    case "judge":
      return withReason("the judge of mode auto", reason);
    case "hook":
      return `a hook${reason === undefined ? "" : `: ${hookReason(reason)}`}${source === undefined ? "" : ` · ${source}`}`;
    case "recording":
      return "the recording";
    default:
      return reason ?? (rule === undefined ? kind : `rule ${rule}${source === undefined ? "" : ` (${source})`}`);
  }
}

/** The text for a refused call. */
export function refusalText(by: DecidedBy): string {
  return `${by.kind === "hook" ? "refused by" : "refused:"} ${decidedByText(by)}`;
}

function withReason(who: string, reason: string | undefined): string {
  return reason === undefined ? who : `${who} (${reason})`;
}

/** One line. The middle of a long reason is left out, because its end often says what to do instead. */
function hookReason(reason: string): string {
  const text = reason.replace(/\s+/g, " ").trim();
  const half = MAX_REASON_CHARS / 2;
  return text.length <= MAX_REASON_CHARS ? text : `${text.slice(0, half)}…${text.slice(1 - half)}`;
}
