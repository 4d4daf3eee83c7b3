import { matchesCommand } from "./command-pattern.ts";
import {
  endOfAssignments,
  fullSpelling,
  hasOnlySafeAssignments,
  plainSpellings,
  strictSpellings,
} from "./command-spellings.ts";
import { type Asked, matchesHost, namesTool, READ_TOOLS, type Rule, WRITE_TOOLS } from "./rule.ts";

/** Whether a deny or ask rule concerns a subject. In doubt it does. */
export function tightensMatch(rule: Rule, asked: Asked): boolean {
  const { spec } = rule;
  const { toolName, subject } = asked;
  switch (spec.kind) {
    case "any":
      return namesTool(rule, toolName) || coversFamily(rule.tool, asked);
    case "command": {
      if (subject?.action !== "execute") return false;
      for (const spelling of strictSpellings(subject)) if (matchesCommand(spec.pattern, spelling)) return true;
      return false;
    }
    case "path":
      if (subject?.action !== spec.action || (spec.onlyTool !== undefined && spec.onlyTool !== toolName)) return false;
      return pathsOf(subject).some((path) => spec.pattern.matches(path));
    case "domain":
      if (subject?.action === "network") return matchesHost(spec.host, subject.host);
      return subject === undefined && namesTool(rule, toolName);
    case "opaque":
      return namesTool(rule, toolName);
  }
}

/** Bare `Read` means whatever reads, bare `Edit` whatever writes, by whichever tool. */
function coversFamily(tool: string, { toolName, subject }: Asked): boolean {
  if (tool === "Read") return READ_TOOLS.has(toolName) || subject?.action === "read";
  if (tool === "Edit") return WRITE_TOOLS.has(toolName) || subject?.action === "write";
  return false;
}

/** Whether an allow rule covers a subject. In doubt it does not. */
export function allowsMatch(rule: Rule, { toolName, subject }: Asked): boolean {
  const { spec } = rule;
  switch (spec.kind) {
    case "any":
      return bareAllows(rule, { toolName, subject });
    case "command": {
      if (subject?.action !== "execute" || !subject.understood) return false;
      const { pattern } = spec;
      if (hasOnlySafeAssignments(subject))
        return [...plainSpellings(subject), fullSpelling(subject)].some((text) => matchesCommand(pattern, text));
      // The rule has to spell the assignments out, not to reach them with a star.
      const isSpelledOut = (pattern.pieces[0] ?? "").length >= endOfAssignments(subject);
      return isSpelledOut && matchesCommand(pattern, fullSpelling(subject));
    }
    case "path":
      if (subject?.action !== spec.action || (spec.onlyTool !== undefined && spec.onlyTool !== toolName)) return false;
      return pathsOf(subject).every((path) => spec.pattern.matches(path));
    case "domain":
      return subject?.action === "network" && namesTool(rule, toolName) && matchesHost(spec.host, subject.host);
    case "opaque":
      return false;
  }
}

function bareAllows(rule: Rule, { toolName, subject }: Asked): boolean {
  switch (rule.tool) {
    case "Read":
      return subject?.action === "read";
    case "Edit":
      return subject?.action === "write" && WRITE_TOOLS.has(toolName);
    // What a command reads and writes is judged for itself.
    case "Bash":
      return toolName === "Bash" && (subject === undefined || (subject.action === "execute" && subject.understood));
    default:
      return namesTool(rule, toolName);
  }
}

/** A path and, when it was reached through a link, the name it was given by. */
export function pathsOf(subject: { readonly path: string; readonly given?: string }): readonly string[] {
  return subject.given === undefined ? [subject.path] : [subject.path, subject.given];
}
