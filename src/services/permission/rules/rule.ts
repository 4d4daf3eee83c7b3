import type { Decision } from "../../../contracts/permission.ts";
import type { RuleLayer } from "../../../contracts/settings.ts";
import type { Subject } from "../../../contracts/subject.ts";
import type { CommandPattern } from "./command-pattern.ts";
import type { NamePattern } from "./name-pattern.ts";
import type { PathPattern } from "./path-pattern.ts";

/** The part of a rule that selects calls of its tool. */
export type RuleSpec =
  /** A bare tool name. */
  | { readonly kind: "any" }
  | {
      readonly kind: "command";
      readonly pattern: CommandPattern;
      /** Of a deny or ask rule: the pattern without its quotes, if it has some. */
      readonly unquoted?: CommandPattern;
      /** True for a deny or ask rule about several commands or a redirect: the pattern matches a part of the line. */
      readonly isLine?: boolean;
    }
  | {
      readonly kind: "path";
      readonly action: "read" | "write";
      readonly pattern: PathPattern;
      /** Set if the rule applies only to calls of this tool. */
      readonly onlyTool?: string;
      /** True for `Cd(…)`: the rule applies only to the target folder of a `cd`. */
      readonly onlyFolderChange?: boolean;
      /** True if the sandbox needs no mount for the rule, because its folders do not contain these paths. */
      readonly isOutsideSandbox?: boolean;
    }
  | { readonly kind: "domain"; readonly host: string }
  /** The hosts of Quoll's list of documentation. */
  | { readonly kind: "documentation" }
  /** An agent, a skill. */
  | { readonly kind: "name"; readonly pattern: NamePattern }
  /** A spec for a tool that Quoll does not have. */
  | { readonly kind: "opaque" };

export type Rule = {
  readonly decision: Decision;
  /** As written. */
  readonly text: string;
  /** The current name of the tool. */
  readonly tool: string;
  readonly spec: RuleSpec;
  /** The source for people: `path:line`, a flag, `this session`. */
  readonly source: string;
  readonly layer: RuleLayer;
  /**
   * The reason why mode auto ignores this allow rule (it would bypass the judge); undefined if the rule takes effect.
   */
  readonly wide: string | undefined;
};

/** Quoll has no such tool: `Cd(…)` rules apply to `cd` in commands. */
export const FOLDER_CHANGE = "Cd";
/** Tools whose path rules are written as Read rules. */
export const READ_TOOLS: ReadonlySet<string> = new Set(["Read", "Grep", "Glob"]);
/** Tools whose path rules are written as Edit rules. */
export const WRITE_TOOLS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);
/** Tools whose rules name an agent or a skill. */
export const NAMING_TOOLS: ReadonlySet<string> = new Set(["Agent", "Skill"]);

/** One item to judge: a subject of the call, or `undefined` for the call itself. */
export type RuleQuery = {
  readonly toolName: string;
  readonly subject: Subject | undefined;
  /** The whole line of a shell command; undefined if the subject's command is the line. */
  readonly line?: string | undefined;
};

/** True if a rule names this tool: its own name, a family (`mcp__server__*`), or a whole server (`mcp__server`). */
export function namesTool(rule: Pick<Rule, "tool">, toolName: string): boolean {
  if (rule.tool === toolName) return true;
  if (!rule.tool.startsWith("mcp__")) return false;
  if (rule.tool.endsWith("*")) return toolName.startsWith(rule.tool.slice(0, -1));
  return rule.tool.split("__").length === 2 && toolName.startsWith(`${rule.tool}__`);
}

/** `example.com` means that host, `*.example.com` every host below it. */
export function matchesHost(pattern: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern || pattern === "*";
}
