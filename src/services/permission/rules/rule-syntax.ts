import { FORMER_NAMES } from "../../../contracts/tool-aliases.ts";

/** The two parts of a rule's text; `tool` is the current name. */
export type RuleText = { readonly tool: string; readonly spec: string | undefined };

const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** `mcp__server__*`: every tool of a server. */
const MCP_FAMILY = /^mcp__[A-Za-z0-9_-]*\*$/;

/**
 * Splits `Tool` or `Tool(spec)`. Brackets inside a spec must be balanced or escaped with a backslash.
 * @throws {RuleSyntaxError} the text has neither form.
 */
export function splitRule(text: string): RuleText {
  const trimmed = text.trim();
  const open = trimmed.indexOf("(");
  const written = (open < 0 ? trimmed : trimmed.slice(0, open)).trim();
  const tool = FORMER_NAMES.get(written) ?? written;
  if (!TOOL_NAME.test(tool) && !MCP_FAMILY.test(tool)) {
    throw new RuleSyntaxError(
      tool === ""
        ? "it names no tool"
        : `${JSON.stringify(tool)} is not the name of a tool: write Tool or Tool(pattern)`,
    );
  }
  if (/^mcp__(?:[^_].*__)?$|^mcp_{3,}/.test(tool)) throw new RuleSyntaxError(`the name ends too early: write ${tool}*`);
  if (open < 0) return { tool, spec: undefined };
  if (!trimmed.endsWith(")")) throw new RuleSyntaxError("the closing bracket ) is missing at its end");
  const spec = trimmed.slice(open + 1, -1);
  if (spec.trim() === "") throw new RuleSyntaxError(`the brackets are empty: write ${tool} alone`);
  if (!isBalanced(spec)) {
    throw new RuleSyntaxError("its brackets don't match: write \\( or \\) for a literal bracket");
  }
  return { tool, spec };
}

/** Describes a fault in a rule; the caller adds the file and line. */
export class RuleSyntaxError extends Error {
  override name = "RuleSyntaxError";
}

function isBalanced(spec: string): boolean {
  let depth = 0;
  for (let at = 0; at < spec.length; at += 1) {
    if (spec[at] === "\\") at += 1;
    else if (spec[at] === "(") depth += 1;
    else if (spec[at] === ")") depth -= 1;
    if (depth < 0) return false;
  }
  // A backslash at the very end would have escaped the closing bracket of the rule itself.
  return depth === 0 && !/(?:^|[^\\])(?:\\\\)*\\$/.test(spec);
}
