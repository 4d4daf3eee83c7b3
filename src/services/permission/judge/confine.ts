import type { ExecuteSubject } from "../rules/command-spellings.ts";
import { isWithin } from "../rules/fold-path.ts";
import { allowsCommand, pathsOf } from "../rules/match-rule.ts";
import { isAcceptedCommand } from "./accepted-commands.ts";
import { NULL_DEVICE } from "./judge-subject.ts";
import {
  type CallFacts,
  type Confinement,
  type Confining,
  type Evaluation,
  isLackOfRule,
  type Judgement,
  type Situation,
} from "./judgement.ts";
import { type LineNetwork, lacksNetwork, networkOf, opensByRule, shownHost } from "./line-network.ts";
import { isOwn, protection } from "./path-protection.ts";
import { isSecret } from "./secrets.ts";

type Confined = Omit<Evaluation, "decision" | "onlyLacksRule">;

/** How many of a call's commands are excluded from the sandbox by settings. */
type Excluded = "none" | "some" | "all";

/**
 * Decides where a command runs and adjusts the judgements to that. The sandbox limits a command but allows nothing by
 * itself. A command inside the sandbox needs no rule if a person agreed to that; a command that can't work inside needs
 * a question. An allow rule is consent to run, not to leave the sandbox: only `excludedCommands` or a person's answer
 * lets a program run outside. Calls of other tools stay unchanged.
 */
export function confine(call: CallFacts, judged: readonly Judgement[], situation: Situation): Confined {
  const { confining, mode } = situation;
  const unconfined: Confined = {
    judgements: call.toolName === "Bash" ? judged.map(onMachine) : judged,
    confinement: "none",
    confinementAfterYes: "none",
    isForJudge: true,
  };
  if (call.toolName !== "Bash" || !confining) return unconfined;
  const { state, required, inBypass } = confining;
  if (state.kind === undefined) {
    if (!required) return unconfined;
    const cause = { kind: "no-sandbox", reason: state.reason ?? "it is switched off" } as const;
    return { ...unconfined, judgements: [...judged, { decision: "deny", subject: undefined, cause }] };
  }
  if (mode === "bypassPermissions" && !inBypass) return unconfined;
  if (call.wantsOutside !== true && judged.every((one) => isPlainLook(one, confining))) return unconfined;
  const inside = { ...situation, confining };
  const masked = call.wantsOutside === true ? judged : judged.map(withMask);
  if (judged.some((one, at) => one !== masked[at])) {
    const found = inSandbox(call, masked, inside);
    // The files are hidden only inside the sandbox.
    if (found.confinement === "sandbox" && found.confinementAfterYes === "sandbox") return found;
  }
  return inSandbox(call, judged, inside);
}

/**
 * In the sandbox, files that a search would find but may not show (secrets, files under a deny or ask rule) are hidden
 * from the search.
 */
function withMask(judgement: Judgement): Judgement {
  const { subject, decision, cause } = judgement;
  if (decision === "allow" || subject?.action !== "read" || !subject.isFound) return judgement;
  const isByPath = cause.kind === "rule" && cause.rule.spec.kind === "path";
  return cause.kind === "secret" || isByPath ? { subject, decision: "allow", cause: { kind: "masked" } } : judgement;
}

/**
 * A command that the tables know as read-only needs no sandbox: it writes nothing, and its arguments show every file it
 * reads.
 */
function isPlainLook({ decision, subject, cause }: Judgement, { state }: Confining): boolean {
  if (decision !== "allow" || cause.kind !== "free") return false;
  // Outside the sandbox, its name means another file.
  if (subject?.action === "read") return subject.inside === undefined;
  if (subject?.action !== "execute" || !subject.readOnly) return false;
  // A read-only command that needs the network runs outside, as it would without a sandbox. A request to this machine
  // runs in the sandbox, whose loopback reaches the servers of other commands.
  return subject.onlyLoopback !== true || state.kind !== "bubblewrap";
}

type Inside = Situation & { readonly confining: Confining };

function inSandbox(call: CallFacts, judged: readonly Judgement[], situation: Inside): Confined {
  const excluded = excludedAmong(judged, situation.confining);
  // The settings excluded the command, so running it outside needs no question.
  const wantsOutside = call.wantsOutside === true && excluded !== "all";
  const line = lineOf(call, judged, situation, excluded);
  const asked = excluded === "all" ? judged : judged.map((one) => withoutLeave(withoutNetwork(one, line), line));
  const beyond = asked.filter((one) => isBeyond(one, line));
  const staysInside = !wantsOutside && excluded === "none" && beyond.length === 0;
  const placed = staysInside ? asked : asked.map(onMachine);
  const judgements = wantsOutside
    ? [...placed, outside(situation)]
    : staysInside && mayRunUnasked(asked, situation)
      ? asked.map((one) => withoutQuestion(one, situation))
      : placed;
  const isOpened =
    staysInside && (line.network?.isByRule === true || asked.some(({ cause }) => cause.kind === "network"));
  return {
    judgements,
    confinement: confinementByRules({ asked: placed, beyond, excluded, wantsOutside }, line),
    confinementAfterYes: staysInside ? "sandbox" : "none",
    ...(isOpened && line.network && { opened: line.network.opened }),
    hasSandbox: true,
    isForJudge: staysInside || (excluded === "all" && !wantsOutside),
  };
}

/** The facts about all commands of a call that the judgement of one of them needs. */
type Line = {
  readonly toolName: string;
  readonly situation: Inside;
  /** True if each command does only what its words say: it reads, or handles files. Such a line needs no sandbox. */
  readonly isPlain: boolean;
  readonly excluded: Excluded;
  /** The network that the line needs; undefined if it needs none, or if its words don't tell which. */
  readonly network: LineNetwork | undefined;
};

function lineOf(call: CallFacts, judged: readonly Judgement[], situation: Inside, excluded: Excluded): Line {
  const { toolName } = call;
  const commands = judged.flatMap(({ subject }) => (subject?.action === "execute" ? [subject] : []));
  return {
    toolName,
    situation,
    isPlain: commands.every((subject) => subject.readOnly || isAcceptedCommand(subject)),
    excluded,
    network: networkOf(toolName, commands, situation),
  };
}

/**
 * A command that needs the network would fail in a sandbox without network, so Quoll asks at once. A rule opens the
 * hosts that it covers, but never leads outside.
 */
function withoutNetwork(judgement: Judgement, { toolName, situation, network }: Line): Judgement {
  const { cause, subject, decision } = judgement;
  if (subject?.action !== "execute" || !lacksNetwork(subject, situation.confining) || decision === "deny")
    return judgement;
  const rule = cause.kind === "rule" && decision === "allow" ? cause.rule : undefined;
  if (rule ? network?.isByRule : cause.kind !== "free" && !isLackOfRule(cause)) return judgement;
  const isShared = rule !== undefined && network?.isAlone === false && opensByRule(toolName, subject, situation);
  return {
    decision: "ask",
    subject,
    cause: {
      kind: "network",
      ...(network && { hosts: network.opened.hosts.map(shownHost) }),
      ...(rule && { rule }),
      ...(isShared && { isShared }),
    },
  };
}

/** A rule allows what the sandbox blocks: that is consent to run, and leaving the sandbox needs another. */
function withoutLeave(judgement: Judgement, line: Line): Judgement {
  const { cause, subject, decision } = judgement;
  if (decision !== "allow" || cause.kind !== "rule" || line.isPlain) return judgement;
  const what = isBeyond(judgement, line) ? "files" : undefined;
  if (subject?.action !== "execute")
    return what ? { decision: "ask", subject, cause: { kind: "beyond", rule: cause.rule, what } } : judgement;
  const ask = (why: "git" | "checkout" | "excluded"): Judgement => ({
    decision: "ask",
    subject,
    cause: { kind: "beyond", rule: cause.rule, what: why },
  });
  if (subject.changesGitConfig) return ask("git");
  if (subject.brings) return ask("checkout");
  return line.excluded === "some" && !subject.readOnly && !isExcluded(subject, line.situation.confining)
    ? ask("excluded")
    : judgement;
}

/** Outside the sandbox, the name of a file in the session's folder for temporary files means a file of the machine. */
function onMachine(judgement: Judgement): Judgement {
  const { subject, decision, cause } = judgement;
  const isOurs = (subject?.action === "read" || subject?.action === "write") && subject.inside !== undefined;
  if (!isOurs || decision !== "allow" || cause.kind !== "free") return judgement;
  return { decision: "ask", subject, cause: { kind: "outside" } };
}

/** True if the sandbox would block this. */
function isBeyond(judgement: Judgement, { situation, isPlain, network }: Line): boolean {
  const { subject } = judgement;
  const { confining, folders } = situation;
  const { workspace, ownFolders, workFolders, freeReadRoots, isCaseInsensitive } = folders;
  const { roots, isBroad } = workspace;
  if (subject?.action === "execute") {
    const isCutOff = network === undefined && lacksNetwork(subject, confining);
    return isCutOff || subject.changesGitConfig === true || subject.brings !== undefined;
  }
  if (subject?.action !== "read" && subject?.action !== "write") return false;
  if (judgement.cause.kind === "masked" || subject.inside !== undefined) return false;
  if (subject.action === "read" && subject.isOfMachine) return true;
  const paths = pathsOf(subject);
  // Confined commands can read and change the secrets of the workspace.
  const isVisible = (path: string) => !isPlain && !isBroad && isWithin(path, roots, isCaseInsensitive);
  const isClosed = paths.some((path) => isSecret(path) && !isVisible(path));
  if (isClosed && !(subject.action === "read" && subject.isNameOnly)) return true;
  if (subject.action === "read") {
    return !isWithin(subject.path, freeReadRoots) && isOwn(subject.path, ownFolders, workFolders);
  }
  if (subject.path === NULL_DEVICE) return false;
  return (
    !isWithin(subject.path, roots, isCaseInsensitive) ||
    paths.some((path) => protection(path, ownFolders, workFolders) !== undefined)
  );
}

function excludedAmong(judged: readonly Judgement[], confining: Confining): Excluded {
  const commands = judged.flatMap(({ subject }) => (subject?.action === "execute" ? [subject] : []));
  const found = commands.filter((subject) => isExcluded(subject, confining));
  return found.length === 0 ? "none" : found.length === commands.length ? "all" : "some";
}

function isExcluded(subject: ExecuteSubject, { excluded }: Confining): boolean {
  return excluded.some((pattern) => allowsCommand(pattern, subject));
}

function outside({ confining }: Inside): Judgement {
  const forbidden = !confining.allowUnsandboxed;
  return {
    decision: forbidden ? "deny" : "ask",
    subject: undefined,
    cause: { kind: "leaves-sandbox", forbidden },
  };
}

/** True if a call that can't leave the sandbox is allowed and only lacks a rule. */
function mayRunUnasked(judged: readonly Judgement[], situation: Inside): boolean {
  const { confining, backup, folders } = situation;
  if (!confining.isAgreed && !isAcceptedEdit(judged, situation)) return false;
  const isGuarded = backup?.kind === "possible" || backup?.kind === "unneeded";
  return judged.every(({ decision, subject, cause }) => {
    if (decision === "deny") return false;
    if (subject?.action === "execute" && subject.hazards.length > 0 && !isGuarded && decision === "ask") return false;
    // If a workspace contains a whole home folder, everything in it is writable, so the sandbox would protect nothing
    // there.
    const changes = subject?.action === "write" || (subject?.action === "execute" && !subject.readOnly);
    if (folders.workspace.isBroad && decision === "ask" && changes) return false;
    return decision === "allow" || isLackOfRule(cause);
  });
}

/** True in mode acceptEdits for commands that are known only to write files in the workspace. */
function isAcceptedEdit(judged: readonly Judgement[], { mode, folders }: Inside): boolean {
  if (mode !== "acceptEdits") return false;
  const { workspace, isCaseInsensitive } = folders;
  return judged.every(({ decision, subject }) => {
    if (decision === "allow") return true;
    if (subject?.action === "execute") return isAcceptedCommand(subject);
    const isOperand = subject?.action === "write" && subject.byCommand === true;
    return isOperand && isWithin(subject.path, workspace.roots, isCaseInsensitive);
  });
}

function withoutQuestion(judgement: Judgement, { mode, confining }: Inside): Judgement {
  if (judgement.decision !== "ask") return judgement;
  return { ...judgement, decision: "allow", cause: confining.isAgreed ? { kind: "sandbox" } : { kind: "mode", mode } };
}

type Leaving = {
  readonly asked: readonly Judgement[];
  readonly beyond: readonly Judgement[];
  readonly excluded: Excluded;
  readonly wantsOutside: boolean;
};

/** Without a person, a call leaves the sandbox only if settings exclude it, or if it does only what its words say. */
function confinementByRules(
  { asked, beyond, excluded, wantsOutside }: Leaving,
  { isPlain, situation }: Line,
): Confinement {
  if (wantsOutside) return "sandbox";
  if (excluded === "all") return "none";
  if (excluded === "none" && beyond.length === 0) return "sandbox";
  const isAllowed = asked.every(({ decision }) => decision === "allow");
  const others = asked.filter(
    ({ subject }) => subject?.action === "execute" && !isExcluded(subject, situation.confining),
  );
  const isFounded = others.every(({ subject, cause }) =>
    subject?.action === "execute" && (isPlain || subject.readOnly)
      ? cause.kind === "free" || cause.kind === "rule"
      : false,
  );
  return isAllowed && isFounded && beyond.every(({ cause }) => cause.kind === "rule" || cause.kind === "free")
    ? "none"
    : "sandbox";
}
