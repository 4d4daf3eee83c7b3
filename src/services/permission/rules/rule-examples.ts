import { join } from "node:path";
import type { RuleSource } from "../../../contracts/settings.ts";
import type { Subject } from "../../../contracts/subject.ts";
import { allowsMatch, tightensMatch } from "./match-rule.ts";
import type { PathContext } from "./path-pattern.ts";
import { FOLDER_CHANGE, READ_TOOLS, type Rule, type RuleQuery, WRITE_TOOLS } from "./rule.ts";
import { RuleSyntaxError } from "./rule-syntax.ts";

const LEADING_ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*\+?=(?:'[^']*'|"[^"]*"|[^\s'"])*)\s+(?=\S)/;

/**
 * Checks a rule against its own examples: texts in the form of the rule's brackets (a command, a path, a host, a name),
 * or a tool's name for a rule without brackets.
 * @throws {RuleSyntaxError} an example fails.
 */
export function checkExamples(rule: Rule, { match = [], notMatch = [] }: RuleSource, context: PathContext): void {
  const holds = rule.decision === "allow" ? allowsMatch : tightensMatch;
  for (const example of match) {
    if (holds(rule, exampleOf(rule, example, context))) continue;
    const hint = rule.tool === "Bash" && isCompound(example) ? " (write each command as a separate example)" : "";
    throw new RuleSyntaxError(`it doesn't match ${JSON.stringify(example)}, which it should${hint}`);
  }
  for (const example of notMatch) {
    if (!holds(rule, exampleOf(rule, example, context))) continue;
    throw new RuleSyntaxError(`it matches ${JSON.stringify(example)}, which it should not`);
  }
}

function exampleOf({ tool, spec }: Rule, example: string, context: PathContext): RuleQuery {
  const text = example.trim();
  const about = (subject: Subject): RuleQuery => ({ toolName: tool, subject });
  if (tool === "Bash") return about(commandExample(text));
  if (tool === FOLDER_CHANGE) return about({ action: "read", path: pathOf(text, context), isFolderChange: true });
  if (READ_TOOLS.has(tool)) return about({ action: "read", path: pathOf(text, context) });
  if (WRITE_TOOLS.has(tool)) return about({ action: "write", path: pathOf(text, context) });
  if (spec.kind === "domain") return about({ action: "network", host: hostOf(text) });
  if (spec.kind === "name") return about(nameExample(text));
  return { toolName: text, subject: undefined };
}

function commandExample(text: string): Subject {
  const assignments: string[] = [];
  let command = text;
  for (let match = LEADING_ASSIGNMENT.exec(command); match; match = LEADING_ASSIGNMENT.exec(command)) {
    assignments.push(match[1] ?? "");
    command = command.slice(match[0].length);
  }
  return { action: "execute", command, assignments, understood: !isCompound(text), readOnly: false, hazards: [] };
}

/** True if the text contains more than one command: operators outside quotes. */
function isCompound(text: string): boolean {
  return /[;&|<>()`\n]/.test(text.replace(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"/g, ""));
}

function pathOf(text: string, { base, roots, home }: PathContext): string {
  if (text.startsWith("//")) return join("/", text);
  if (text === "~" || text.startsWith("~/")) return join(home, text.slice(1));
  return join(text.startsWith("/") ? base : (roots[0] ?? base), text);
}

/** The host of `domain:example.com`, of a URL, or the text itself. */
export function hostOf(text: string): string {
  const host = URL.canParse(text) ? new URL(text).hostname : "";
  return host === "" ? text.replace(/^domain:/, "") : host;
}

/** An agent or a skill with its arguments: `deploy prod`. */
export function nameExample(text: string): Subject {
  const [name = "", ...args] = text.split(/\s+/);
  return { action: "use", name, ...(args.length > 0 && { args: args.join(" ") }) };
}
