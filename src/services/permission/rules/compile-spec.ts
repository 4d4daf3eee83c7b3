import type { Decision } from "../../../contracts/permission.ts";
import {
  allowFault,
  commandFault,
  isExactSpec,
  isLineSpec,
  lineFault,
  singleBlanks,
  tidyCommandSpec,
  unquotedSpec,
} from "./command-faults.ts";
import { parseCommandPattern } from "./command-pattern.ts";
import { linePattern } from "./line-pattern.ts";
import { parseNamePattern } from "./name-pattern.ts";
import { type PathContext, parsePathPattern, tidyPath } from "./path-pattern.ts";
import { FOLDER_CHANGE, NAMING_TOOLS, READ_TOOLS, type RuleSpec, WRITE_TOOLS } from "./rule.ts";
import { RuleSyntaxError } from "./rule-syntax.ts";
import { hostFault, nameFault, pathFault, plainHost } from "./spec-faults.ts";

type SpecText = { readonly tool: string; readonly specText: string | undefined; readonly decision: Decision };

/**
 * Compiles the text in a rule's brackets.
 * @throws {RuleSyntaxError} nothing can match it.
 */
export function compileSpec({ tool, specText, decision }: SpecText, context: PathContext): RuleSpec {
  if (specText === undefined) return { kind: "any" };
  const tightens = decision !== "allow";
  if (tool === "Bash") return commandSpec(specText, tightens);
  const pathSpec = () => {
    reject(pathFault(specText, context));
    return parsePathPattern(tidyPath(specText), context, tightens);
  };
  if (tool === FOLDER_CHANGE) return { kind: "path", action: "read", pattern: pathSpec(), onlyFolderChange: true };
  if (READ_TOOLS.has(tool) || WRITE_TOOLS.has(tool)) {
    const action = READ_TOOLS.has(tool) ? "read" : "write";
    // A deny rule for Write also denies Edit; a deny rule for a search tool covers only that tool.
    const isNarrow = tool === "Grep" || tool === "Glob";
    return { kind: "path", action, pattern: pathSpec(), ...(isNarrow && { onlyTool: tool }) };
  }
  if (specText.trim() === "*") return { kind: "any" };
  if (NAMING_TOOLS.has(tool)) {
    reject(nameFault(tool === "Skill" ? specText.trim().replace(/^\//, "") : specText));
    return { kind: "name", pattern: parseNamePattern(specText, tool === "Skill", tightens) };
  }
  if (tool === "WebFetch" && specText.trim().toLowerCase() === "documentation") return { kind: "documentation" };
  const domain = /^domain:(.*)$/i.exec(specText.trim())?.[1];
  if (tool !== "WebFetch" || domain === undefined) return { kind: "opaque" };
  const host = plainHost(domain);
  reject(hostFault(host));
  return { kind: "domain", host };
}

function commandSpec(specText: string, tightens: boolean): RuleSpec {
  const written = /^\s+\*$/.test(specText) ? specText : tidyCommandSpec(specText);
  const text = tightens ? written : singleBlanks(written);
  reject(commandFault(text, !tightens && isExactSpec(text)) ?? (tightens ? undefined : allowFault(text)));
  const isLine = isLineSpec(text);
  if (isLine && !tightens) throw new RuleSyntaxError(lineFault(text));
  if (isLine) return { kind: "command", pattern: parseCommandPattern(linePattern(text)), isLine };
  const pattern = parseCommandPattern(text);
  if (pattern.isEverything) return { kind: "any" };
  const plain = tightens ? unquotedSpec(text) : text;
  return { kind: "command", pattern, ...(plain !== text && { unquoted: parseCommandPattern(plain) }) };
}

/** @throws {RuleSyntaxError} there is a fault. */
function reject(fault: string | undefined): void {
  if (fault !== undefined) throw new RuleSyntaxError(fault);
}
