import { isWithin } from "../rules/fold-path.ts";
import { allowsCommand, pathsOf } from "../rules/match-rule.ts";
import { isAcceptedCommand } from "./accepted-commands.ts";
import { allowingRule, NULL_DEVICE } from "./judge-subject.ts";
import {
  type CallFacts,
  type Confinement,
  type Confining,
  type Evaluation,
  isLackOfRule,
  type Judgement,
  type Situation,
} from "./judgement.ts";
import { isOwn, protection } from "./protected-paths.ts";
import { isSecret } from "./secrets.ts";

type Confined = Omit<Evaluation, "decision" | "onlyLacksRule">;

/** How many of a call's commands are excluded from the sandbox by settings. */
type Excluded = "none" | "some" | "all";

/**
 * Decides where a command runs and adjusts the judgements to that. The sandbox limits a command but allows nothing by
 * itself. A command inside the sandbox needs no rule if a person agreed to that; a command that can't work inside needs
 * a question; only a rule or a person lets a command run outside. Calls of other tools stay unchanged.
 */
export function confine(call: CallFacts, judged: readonly Judgement[], situation: Situation): Confined {
  const { confining, mode } = situation;
  const unconfined: Confined = {
    judgements: judged,
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
  if (call.wantsOutside !== true && judged.every(isPlainLook)) return unconfined;
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
function isPlainLook({ decision, subject, cause }: Judgement): boolean {
  if (decision !== "allow" || cause.kind !== "free") return false;
  if (subject?.action === "read") return true;
  // A read-only command that needs the network runs outside, as it would without a sandbox.
  return subject?.action === "execute" && subject.readOnly;
}

type Inside = Situation & { readonly confining: Confining };

function inSandbox(call: CallFacts, judged: readonly Judgement[], situation: Inside): Confined {
  const excluded = excludedAmong(judged, situation.confining);
  const asked = excluded === "all" ? judged : judged.map((one) => withoutNetwork(one, situation));
  const beyond = asked.filter((one) => isBeyond(one, situation));
  // The settings excluded the command, so running it outside needs no question.
  const wantsOutside = call.wantsOutside === true && excluded !== "all";
  const isGranted = wantsOutside && situation.confining.allowUnsandboxed && namesEveryCommand(call, asked, situation);
  const staysInside = !wantsOutside && excluded === "none" && beyond.length === 0;
  const judgements =
    wantsOutside && !isGranted
      ? [...asked, outside(situation)]
      : staysInside && mayRunUnasked(asked, situation)
        ? asked.map((one) => withoutQuestion(one, situation))
        : asked;
  return {
    judgements,
    confinement: confinementByRules({ asked, beyond, excluded, isGranted }, call, situation),
    confinementAfterYes: staysInside ? "sandbox" : "none",
    isForJudge: staysInside || (excluded === "all" && !wantsOutside),
  };
}

/** A command that needs the network would fail in a sandbox without network, so Quoll asks at once. */
function withoutNetwork(judgement: Judgement, { confining }: Inside): Judgement {
  if (!lacksNetwork(judgement, confining) || judgement.decision === "deny") return judgement;
  const { cause, subject } = judgement;
  return cause.kind === "free" || isLackOfRule(cause)
    ? { decision: "ask", subject, cause: { kind: "network" } }
    : judgement;
}

function lacksNetwork({ subject }: Judgement, { state }: Confining): boolean {
  if (subject?.action !== "execute" || subject.needsNetwork !== true) return false;
  // Under bubblewrap, servers started by the session's commands listen on the sandbox's own loopback only.
  if (subject.onlyLoopback === true && state.kind === "bubblewrap") return false;
  return state.kind === undefined || !state.hasNetwork;
}

/** True if the sandbox would block this. */
function isBeyond(judgement: Judgement, situation: Inside): boolean {
  const { subject } = judgement;
  const { roots, ownFolders, workFolders, freeReadRoots, isCaseInsensitive, confining } = situation;
  if (subject?.action === "execute")
    return lacksNetwork(judgement, confining) || subject.changesGitConfig === true || subject.brings !== undefined;
  if (subject?.action !== "read" && subject?.action !== "write") return false;
  if (judgement.cause.kind === "masked") return false;
  const paths = pathsOf(subject);
  if (paths.some(isSecret) && !(subject.action === "read" && subject.isNameOnly)) return true;
  if (subject.action === "read") {
    return !isWithin(subject.path, freeReadRoots) && isOwn(subject.path, ownFolders, workFolders);
  }
  if (subject.path === NULL_DEVICE) return false;
  return (
    !isWithin(subject.path, roots, isCaseInsensitive) ||
    paths.some((path) => protection(path, ownFolders, workFolders) !== undefined)
  );
}

function excludedAmong(judged: readonly Judgement[], { excluded }: Confining): Excluded {
  const commands = judged.flatMap(({ subject }) => (subject?.action === "execute" ? [subject] : []));
  const found = commands.filter((subject) => excluded.some((pattern) => allowsCommand(pattern, subject)));
  return found.length === 0 ? "none" : found.length === commands.length ? "all" : "some";
}

/** The model may run a command outside only under a rule that names the command: a bare `Bash` is not enough. */
function namesEveryCommand({ toolName }: CallFacts, judged: readonly Judgement[], situation: Situation): boolean {
  const commands = judged.filter(({ subject }) => subject?.action === "execute");
  return (
    commands.length > 0 &&
    commands.every(({ subject }) => allowingRule({ toolName, subject }, situation)?.spec.kind === "command")
  );
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
  const { confining, backup, isBroad } = situation;
  if (!confining.isAgreed && !isAcceptedEdit(judged, situation)) return false;
  const isGuarded = backup?.kind === "possible" || backup?.kind === "unneeded";
  return judged.every(({ decision, subject, cause }) => {
    if (decision === "deny") return false;
    if (subject?.action === "execute" && subject.hazards.length > 0 && !isGuarded && decision === "ask") return false;
    // If a workspace contains a whole home folder, everything in it is writable, so the sandbox would protect nothing
    // there.
    const changes = subject?.action === "write" || (subject?.action === "execute" && !subject.readOnly);
    if (isBroad && decision === "ask" && changes) return false;
    return decision === "allow" || isLackOfRule(cause);
  });
}

/** True in mode acceptEdits for commands that are known only to write files in the workspace. */
function isAcceptedEdit(judged: readonly Judgement[], { mode, roots, isCaseInsensitive }: Inside): boolean {
  if (mode !== "acceptEdits") return false;
  return judged.every(({ decision, subject }) => {
    if (decision === "allow") return true;
    if (subject?.action === "execute") return isAcceptedCommand(subject);
    const isOperand = subject?.action === "write" && subject.byCommand === true;
    return isOperand && isWithin(subject.path, roots, isCaseInsensitive);
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
  readonly isGranted: boolean;
};

function confinementByRules(
  { asked, beyond, excluded, isGranted }: Leaving,
  { toolName }: CallFacts,
  situation: Inside,
): Confinement {
  if (excluded === "all" || isGranted) return "none";
  if (excluded === "none" && beyond.length === 0) return "sandbox";
  const isByRule = ({ subject, decision }: Judgement) =>
    decision === "allow" && allowingRule({ toolName, subject }, situation) !== undefined;
  // A command that only a mode allows runs inside, and so do all other commands of the same line.
  const commands = asked.filter(({ subject }) => subject?.action === "execute");
  const isFounded = commands.every((one) => isByRule(one) || one.cause.kind === "free");
  return isFounded && beyond.every(isByRule) ? "none" : "sandbox";
}
