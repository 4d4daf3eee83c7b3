import { dirname } from "node:path";
import { outsideSuggestion } from "../../../contracts/outside-pattern.ts";
import type { Subject } from "../../../contracts/subject.ts";
import { isInside } from "../../../platform/paths.ts";
import type { BackupState, Evaluation, Judgement } from "../judge/judgement.ts";
import {
  COMMAND_FAMILIES,
  INTERPRETERS,
  NEVER_REMEMBERED,
  ORDINARY_SCRIPTS,
  programName,
  SCRIPT_RUNNERS,
} from "../rules/command-families.ts";
import { exactCommandSpec } from "../rules/command-pattern.ts";
import { type ExecuteSubject, hasOnlySafeAssignments, spellingsWithAssignments } from "../rules/command-spellings.ts";
import { pathsOf } from "../rules/match-rule.ts";
import { exactPathSpec } from "../rules/path-pattern.ts";
import type { Rule } from "../rules/rule.ts";
import { rootCause } from "./question-text.ts";

/** The maximum number of rules that one "always" may write; a call that needs more can only be allowed once. */
export const MAX_SUGGESTIONS = 5;
/** Tools that ask only if work would be lost. */
const ASKED_EACH_TIME: ReadonlySet<string> = new Set(["ExitWorktree"]);
const MAX_COMMAND_CHARS = 200;
const OPTION_OR_NAME = /^-{0,2}[A-Za-z0-9][\w.+:-]*$/;
const PLAIN_WORD = /^[A-Za-z0-9][A-Za-z0-9_.:/@-]*$/;

export type SuggestionContext = {
  readonly toolName: string;
  readonly projectRoot: string;
  readonly home: string;
  /** Folders of the workspace, and whether they are so wide that being inside them means nothing. */
  readonly roots: readonly string[];
  readonly isBroad: boolean;
  /** How long the rules last. A session rule may cover all edits in the project; a permanent rule covers one file. */
  readonly lasts: "session" | "always";
  /** See `JudgedFolders`: a permanent rule outlives the worktree that it was made in. */
  readonly placeInProject?: ((path: string) => string) | undefined;
  readonly backup?: BackupState | undefined;
  /**
   * True if the rules are only advice, not an answer to a question. In that case, exact rules for dangerous commands
   * are included.
   */
  readonly namesAny?: boolean;
};

/**
 * The narrow rules that would allow this call the next time. Empty if no rule is both narrow and sufficient: for a call
 * without a backup, a secret, a protected path, a command that could not be parsed or that runs its arguments, and a
 * call that an ask rule matches.
 */
export function suggestRules({ judgements }: Evaluation, context: SuggestionContext): readonly string[] {
  if (judgements.some((one) => isDangerous(one, context)) && !context.namesAny) return [];
  const asked = judgements.filter(({ decision }) => decision !== "allow");
  const commands = asked.filter(({ subject }) => subject?.action === "execute");
  const isLeaving = asked.some(({ cause }) => whyOf({ cause }) === "leaves-sandbox");
  const needed = isLeaving ? judgements.filter(isCommand) : asked.filter((one) => !isOperandOf(one, commands));
  const rules = new Set<string>();
  for (const judgement of needed) {
    const suggested = isLeaving ? exactly(judgement, context) : suggestFor(judgement, context);
    if (suggested.length === 0) return [];
    const isCovered = rootCause(judgement.cause).kind === "rule" || coveringRule(judgement) !== undefined;
    if (!isCovered) for (const rule of suggested) rules.add(rule);
    if (isLeaving || needsOutside(judgement)) for (const rule of suggested) rules.add(outsideOf(rule));
  }
  if (rules.size > MAX_SUGGESTIONS) return [];
  const more = context.lasts === "session" && !isLeaving ? needed.flatMap(siblingScripts) : [];
  return [...new Set([...rules, ...more])].slice(0, MAX_SUGGESTIONS);
}

/** The allow rule that covers a command that is asked about only because of the sandbox. */
function coveringRule({ cause }: Judgement): Rule | undefined {
  const why = rootCause(cause);
  return why.kind === "network" || why.kind === "beyond" ? why.rule : undefined;
}

/** True if the command can run only outside the sandbox. */
function needsOutside({ cause }: Judgement): boolean {
  const why = rootCause(cause);
  return why.kind === "beyond" ? why.what !== "files" : why.kind === "network" && why.hosts === undefined;
}

/** `Bash(docker build *)` → the same pattern in the setting for commands outside the sandbox. */
function outsideOf(rule: string): string {
  return outsideSuggestion(rule.slice("Bash(".length, -1));
}

/** For `npm run lint`, also the project's other checks, because a session usually runs all of them. */
function siblingScripts({ subject }: Judgement): readonly string[] {
  if (subject?.action !== "execute" || subject.hazards.length > 0) return [];
  const [program = "", second = "", script = ""] = (subject.alternatives?.at(-1) ?? subject.command).split(/\s+/);
  const isOrdinary = SCRIPT_RUNNERS.get(program)?.has(second) === true && ORDINARY_SCRIPTS.has(script);
  if (!isOrdinary || !hasOnlySafeAssignments(subject)) return [];
  return [...ORDINARY_SCRIPTS].map((one) => `Bash(${program} ${second} ${one} *)`);
}

/** Quoll asks about destructive commands each time, except an overwrite with a backup. */
function isDangerous({ subject }: Judgement, { backup }: SuggestionContext): boolean {
  if (subject?.action !== "execute") return false;
  const isKept = backup?.kind === "possible" || backup?.kind === "unneeded";
  return subject.hazards.some(({ kind }) => kind !== "overwrites" || !isKept);
}

function isCommand({ subject }: Judgement): boolean {
  return subject?.action === "execute";
}

/** Only the exact command is offered for use outside the sandbox. */
function exactly({ subject }: Judgement, { namesAny }: SuggestionContext): readonly string[] {
  if (subject?.action !== "execute" || !subject.understood) return [];
  return forCommand(subject, { isExact: true, namesAny: namesAny ?? false });
}

/** A command's rule also covers its operands inside the workspace. */
function isOperandOf({ subject, cause }: Judgement, commands: readonly Judgement[]): boolean {
  if (subject?.action !== "read" && subject?.action !== "write") return false;
  const why = whyOf({ cause });
  return subject.byCommand === true && commands.length > 0 && (why === "uncovered" || why === "broad");
}

/** The cause of the question that Quoll asked or would have asked. */
function whyOf({ cause }: Pick<Judgement, "cause">): string {
  return cause.kind === "mode" ? (cause.instead?.kind ?? cause.kind) : cause.kind;
}

function suggestFor({ subject, cause }: Judgement, context: SuggestionContext): readonly string[] {
  const named = optionRules(subject, cause, context);
  if (named !== undefined) return named;
  const why = whyOf({ cause });
  const isGuarded = why === "guard" && context.namesAny === true;
  if (!isGuarded && !["outside", "broad", "uncovered", "network", "beyond"].includes(why)) return [];
  switch (subject?.action) {
    case "execute":
      return forCommand(subject, {
        isExact: subject.hazards.length > 0 || subject.unsaid === true || isGuarded || namesHosts(subject),
        namesAny: context.namesAny ?? false,
      });
    case "read":
      return pathsOf(subject).map((path) => `Read(${folderSpec(path, context)})`);
    case "write":
      return pathsOf(subject).map((path) => `Edit(${editSpec(path, context)})`);
    case "network":
      return context.toolName === "WebFetch" ? [forHost(subject, context)] : [];
    case "use":
      return forName(subject, context);
    default:
      return ASKED_EACH_TIME.has(context.toolName) ? [] : [context.toolName];
  }
}

type NetworkSubject = Extract<Subject, { action: "network" }>;

/** The exact host; for the session, all hosts of documentation if the host is one of them. */
function forHost({ host, isDocumentation }: NetworkSubject, { lasts }: SuggestionContext): string {
  return lasts === "session" && isDocumentation ? "WebFetch(documentation)" : `WebFetch(domain:${host})`;
}

/** A rule opens the hosts that an install names only if it contains them. */
function namesHosts({ reaches }: ExecuteSubject): boolean {
  return (reaches?.named ?? []).length > 0;
}

/** A rule for each option that an existing rule with a star doesn't cover. */
function optionRules(subject: Judgement["subject"], cause: Judgement["cause"], { namesAny }: SuggestionContext) {
  const option = cause.kind === "mode" ? cause.instead : cause;
  if (option?.kind !== "option" || subject?.action !== "execute") return undefined;
  const isPlain = option.words.every(({ word, isCode }) => !isCode && OPTION_OR_NAME.test(word));
  if (!isPlain || subject.hazards.length > 0 || subject.unsaid)
    return forCommand(subject, { isExact: true, namesAny: namesAny ?? false });
  return option.words.map(({ word, scope }) => `Bash(${exactCommandSpec(`${scope} ${word}`)} *)`);
}

type CommandRequest = { readonly isExact: boolean; readonly namesAny: boolean };

/** A rule for a command without its wrappers. Variable assignments stay in the rule unless they are harmless. */
function forCommand(subject: ExecuteSubject, { isExact, namesAny }: CommandRequest): readonly string[] {
  const isSafe = hasOnlySafeAssignments(subject);
  const command = subject.alternatives?.at(-1) ?? subject.command;
  const full = isSafe ? command : (spellingsWithAssignments(subject).at(-1)?.text ?? "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a rule is one printable line.
  if (full === "" || full.length > MAX_COMMAND_CHARS || /[\u0000-\u001f\u007f]/.test(full)) return [];
  const words = command.split(/\s+/);
  const name = programName(words[0] ?? "");
  const isRisky = NEVER_REMEMBERED.has(name) || (INTERPRETERS.has(name) && words.length === 1);
  if (isRisky && !namesAny) return [];
  const family = isExact || isRisky ? undefined : familyOf(words);
  if (family === undefined || !full.endsWith(command)) return [`Bash(${exactCommandSpec(full)})`];
  const before = full.slice(0, full.length - command.length);
  return [`Bash(${exactCommandSpec(before + family)} *)`];
}

/** The common start of similar commands; undefined if only the exact command is safe to offer. */
function familyOf([program = "", second = "", third = ""]: readonly string[]): string | undefined {
  if (SCRIPT_RUNNERS.get(program)?.has(second) && PLAIN_WORD.test(third)) return `${program} ${second} ${third}`;
  return COMMAND_FAMILIES.get(program)?.has(second) ? `${program} ${second}` : undefined;
}

/**
 * The changed file. A rule for the session: all of the project except protected and secret files, if the file is inside
 * the project.
 */
function editSpec(path: string, context: SuggestionContext): string {
  const { projectRoot, roots, isBroad, lasts } = context;
  const root = roots.find((folder) => isInside(folder, path));
  if (lasts === "always") return exactPathSpec(keptPath(path, context), projectRoot);
  if (root === undefined || isBroad) return exactPathSpec(path, projectRoot);
  const isProject = isInside(root, projectRoot) && isInside(projectRoot, path);
  return isProject ? "/**" : `${exactPathSpec(root, projectRoot)}/**`;
}

/** The folder of the file that was read, or the folder that was listed or searched; never a home folder or above. */
function folderSpec(given: string, context: SuggestionContext): string {
  const { toolName, home, projectRoot } = context;
  const path = keptPath(given, context);
  const folder = toolName === "Read" ? dirname(path) : path;
  const isTooWide = isInside(folder, home) || folder.split("/").filter((part) => part !== "").length < 2;
  if (isTooWide) return exactPathSpec(path, projectRoot);
  return `${exactPathSpec(folder, projectRoot)}/**`;
}

/** The path that a rule names. */
function keptPath(path: string, { lasts, placeInProject }: SuggestionContext): string {
  return lasts === "always" && placeInProject ? placeInProject(path) : path;
}

type UseSubject = Extract<Subject, { action: "use" }>;

function forName({ name, args, tool, extension }: UseSubject, { toolName }: SuggestionContext): readonly string[] {
  if (extension !== undefined) return [toolName];
  if (tool !== undefined) return [tool];
  if (!/^[\w.:@/-]+$/.test(name)) return [];
  return [args === undefined ? `${toolName}(${name})` : `${toolName}(${name} *)`];
}
