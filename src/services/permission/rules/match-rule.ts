import type { UncoveredWord } from "../../../contracts/subject.ts";
import { type CommandPattern, matchesCommand } from "./command-pattern.ts";
import {
  type ExecuteSubject,
  fullSpelling,
  hasOnlySafeAssignments,
  plainSpellings,
  spellingsWithAssignments,
  strictSpellings,
  withoutPrefixes,
} from "./command-spellings.ts";
import { lineSpans } from "./line-pattern.ts";
import { allowsName, concernsName } from "./name-pattern.ts";
import {
  FOLDER_CHANGE,
  matchesHost,
  namesTool,
  READ_TOOLS,
  type Rule,
  type RuleQuery,
  type RuleSpec,
  WRITE_TOOLS,
} from "./rule.ts";

/** True if a deny or ask rule matches a subject. In doubt it does. */
export function tightensMatch(rule: Rule, asked: RuleQuery): boolean {
  const { spec } = rule;
  const { toolName, subject } = asked;
  switch (spec.kind) {
    case "any":
      return namesCall(rule, asked) || coversFamily(rule.tool, asked);
    case "command": {
      if (subject?.action !== "execute") return false;
      if (spec.isLine) return matchesLine(spec.pattern, asked.line ?? subject.command);
      for (const spelling of strictSpellings(subject)) if (matchesEither(spec, spelling)) return true;
      return false;
    }
    case "path":
      return concernsPaths(spec, asked) && pathsOf(asked.subject).some((path) => spec.pattern.matches(path));
    case "domain":
      if (subject?.action === "network") return matchesHost(spec.host, subject.host);
      return subject === undefined && namesTool(rule, toolName);
    case "documentation":
      return subject?.action === "network" && subject.isDocumentation === true && namesTool(rule, toolName);
    case "name":
      if (!namesTool(rule, toolName)) return false;
      return subject?.action === "use" ? concernsName(spec.pattern, subject.name) : subject === undefined;
    case "opaque":
      return namesTool(rule, toolName);
  }
}

function matchesEither({ pattern, unquoted }: Extract<RuleSpec, { kind: "command" }>, text: string): boolean {
  return matchesCommand(pattern, text) || (unquoted !== undefined && matchesCommand(unquoted, text));
}

/** `curl * | sh` matches in any line in which these commands follow each other so, also behind `sudo`. */
function matchesLine(pattern: CommandPattern, line: string): boolean {
  for (const span of lineSpans(line))
    for (const spelling of [span, ...withoutPrefixes(span)]) if (matchesCommand(pattern, spelling)) return true;
  return false;
}

/** Bare `Read` matches every read and bare `Edit` every write, by any tool. */
function coversFamily(tool: string, { toolName, subject }: RuleQuery): boolean {
  if (tool === "Read") return READ_TOOLS.has(toolName) || subject?.action === "read";
  if (tool === "Edit") return WRITE_TOOLS.has(toolName) || subject?.action === "write";
  return tool === FOLDER_CHANGE && subject?.action === "read" && subject.isFolderChange === true;
}

type PathSpec = Extract<RuleSpec, { kind: "path" }>;
type PathSubject = Extract<RuleQuery["subject"], { action: "read" | "write" }>;

/** True if a path rule applies to subjects of this kind. */
function concernsPaths(spec: PathSpec, asked: RuleQuery): asked is RuleQuery & { readonly subject: PathSubject } {
  const { toolName, subject } = asked;
  if (subject?.action !== spec.action || (spec.onlyTool !== undefined && spec.onlyTool !== toolName)) return false;
  return spec.onlyFolderChange !== true || (subject.action === "read" && subject.isFolderChange === true);
}

/** True if a pattern of an allow rule covers a command. */
export function allowsCommand(pattern: CommandPattern, subject: ExecuteSubject): boolean {
  if (!subject.understood || (subject.unsaid && pattern.pieces.length > 1)) return false;
  if (hasOnlySafeAssignments(subject))
    return [...plainSpellings(subject), fullSpelling(subject)].some((text) => matchesCommand(pattern, text));
  // The rule must name the assignments literally: a star does not match them.
  const literal = (pattern.pieces[0] ?? "").length;
  return spellingsWithAssignments(subject).some(({ text, end }) => literal >= end && matchesCommand(pattern, text));
}

/**
 * The words of a command that an allow rule's star does not cover, because neither this rule nor another rule names
 * them. Empty for a rule that names the whole command, or no command at all.
 * @param others The effective allow rules; a rule like `Bash(curl --foo *)` names its option for all of them.
 */
export function unnamedWords(rule: Rule, { subject }: RuleQuery, others: readonly Rule[]): readonly UncoveredWord[] {
  if (subject?.action !== "execute" || rule.spec.kind !== "command" || rule.spec.pattern.pieces.length === 1) return [];
  const own = new Set(rule.spec.pattern.pieces.flatMap((piece) => piece.split(/\s+/)).map(optionName));
  return (subject.uncovered ?? []).filter(
    ({ word, scope }) => !own.has(optionName(word)) && !others.some((other) => namesOption(other, word, scope)),
  );
}

/** `--foo=x` and `--foo` are the same option. */
function optionName(word: string): string {
  return word.startsWith("-") ? word.replace(/=.*$/s, "") : word;
}

/** True if a rule is `Bash(curl --foo *)`, or `Bash(git push --foo *)`. */
function namesOption({ spec }: Rule, word: string, scope: string): boolean {
  if (spec.kind !== "command" || !spec.pattern.optionalTail || spec.pattern.pieces.length !== 2) return false;
  const head = (spec.pattern.pieces[0] ?? "").replace(/\s+/g, " ");
  return head === `${scope} ${word}` || head === `${scope.split(" ")[0]} ${word}`;
}

/** True if an allow rule matches a subject, apart from unnamed words (`unnamedWords`). In doubt it does not. */
export function allowsMatch(rule: Rule, asked: RuleQuery): boolean {
  const { spec } = rule;
  const { toolName, subject } = asked;
  switch (spec.kind) {
    case "any":
      return bareAllows(rule, asked);
    case "command":
      return subject?.action === "execute" && allowsCommand(spec.pattern, subject);
    case "path":
      return concernsPaths(spec, asked) && pathsOf(asked.subject).every((path) => spec.pattern.matches(path));
    case "domain":
      return subject?.action === "network" && namesTool(rule, toolName) && matchesHost(spec.host, subject.host);
    case "documentation":
      return subject?.action === "network" && namesTool(rule, toolName) && subject.isDocumentation === true;
    case "name":
      return (
        subject?.action === "use" && namesTool(rule, toolName) && allowsName(spec.pattern, subject.name, subject.args)
      );
    case "opaque":
      return false;
  }
}

function bareAllows(rule: Rule, asked: RuleQuery): boolean {
  const { toolName, subject } = asked;
  switch (rule.tool) {
    case "Read":
      return subject?.action === "read";
    case "Edit":
      return subject?.action === "write";
    // The files that a command reads and writes are separate subjects.
    case "Bash":
      return (
        toolName === "Bash" &&
        (subject === undefined || (subject.action === "execute" && subject.understood && !subject.unsaid))
      );
    case FOLDER_CHANGE:
      return subject?.action === "read" && subject.isFolderChange === true;
    default:
      return namesCall(rule, asked);
  }
}

/** True if a rule names the tool of a call, or the alternative name in its subject. */
function namesCall(rule: Rule, { toolName, subject }: RuleQuery): boolean {
  if (namesTool(rule, toolName)) return true;
  return subject?.action === "use" && subject.tool !== undefined && namesTool(rule, subject.tool);
}

type Named = { readonly path: string; readonly given?: string; readonly inside?: string };

/** The name of a path, which is another one inside the sandbox, and, when it was reached through a link, the given path. */
export function pathsOf({ path, given, inside }: Named): readonly string[] {
  const name = inside ?? path;
  return given === undefined || given === name ? [name] : [name, given];
}
