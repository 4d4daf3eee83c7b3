import { orUndefined } from "../../contracts/or-undefined.ts";
import { toolsCalled } from "../../contracts/tool-aliases.ts";

/** A matcher with only these characters is a list of names, not a pattern. */
const NAMES = /^[\w|,\s]+$/;
/** The signs around the names in `^(Edit|Write)$`. */
const AROUND_LIST = /^\^?(?:\((?:\?:)?)?([\w|]+)\)?\$?$/;
/** The parts of a regular expression: an escape, a class of letters, a word. */
const PARTS = /\\.|\[(?:\\.|[^\]\\])*\]|[A-Za-z_]\w*/g;

/**
 * True if the matcher `matcher` matches `name` (a tool's name, or an event's source). A missing or blank matcher and
 * `*` match every name; words separated by `|` or `,` are a list of exact names; any other matcher is a regular
 * expression that may match anywhere. An invalid expression matches nothing.
 * @param isTool True if `name` is a tool's: a former name of the tool, or another agent's, then stands for it.
 */
export function hookMatches(matcher: string | undefined, name: string | undefined, isTool = false): boolean {
  const pattern = matcher?.trim() ?? "";
  if (pattern === "" || pattern === "*" || name === undefined) return true;
  if (NAMES.test(pattern)) {
    const words = namesIn(pattern);
    return words.includes(name) || (isTool && words.some((word) => isNameOf(word, name)));
  }
  return compile(isTool ? withOwnName(pattern, name) : pattern)?.test(name) ?? false;
}

/** The problem with a matcher; undefined if it is usable. */
export function matcherProblem(matcher: string): string | undefined {
  if (NAMES.test(matcher) || matcher.trim() === "" || matcher.trim() === "*" || compile(matcher)) return undefined;
  return "it is not a regular expression";
}

/**
 * The names of tools that a matcher certainly means but does not match, each with the tool.
 * @param tools Every tool with a fixed name.
 * @param meantTool The tool that a name certainly means; undefined for any other name.
 */
export function missedTools(
  matcher: string,
  tools: readonly string[],
  meantTool: (name: string) => string | undefined,
): readonly (readonly [name: string, tool: string])[] {
  const list = matcher.trim().replace(AROUND_LIST, "$1");
  const isList = NAMES.test(list);
  if (!isList && tools.some((tool) => hookMatches(matcher, tool, true))) return [];
  // A pattern may name parts of names, and names that it must not match.
  const names = isList ? list.split(/[|,\s]+/) : /\(\?<?!/.test(matcher) ? [] : (matcher.match(PARTS) ?? []);
  return names.flatMap((name) => {
    const tool = /^(?!mcp__)\w/.test(name) ? meantTool(name) : undefined;
    return tool === undefined || hookMatches(matcher, tool, true) ? [] : [[name, tool] as const];
  });
}

function namesIn(pattern: string): readonly string[] {
  return pattern.split(/[|,]/).map((one) => one.trim());
}

/** Some agents write the names of the same tools in lower case. */
function isNameOf(word: string, tool: string): boolean {
  return word === tool.toLowerCase() || toolsCalled(word).includes(tool);
}

/** Adds Quoll's name of a tool to its other names in a pattern: `Task` becomes `(?:Task|Agent)`. */
function withOwnName(pattern: string, tool: string): string {
  return pattern.replace(PARTS, (part) => (/^\w/.test(part) && isNameOf(part, tool) ? `(?:${part}|${tool})` : part));
}

function compile(pattern: string): RegExp | undefined {
  return orUndefined(() => new RegExp(pattern));
}
