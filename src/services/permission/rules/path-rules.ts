import type { PathRule } from "../../../contracts/permission.ts";
import type { Subject } from "../../../contracts/subject.ts";
import { tightensMatch } from "./match-rule.ts";
import { READ_TOOLS, type Rule } from "./rule.ts";

/**
 * The deny and ask rules for paths in the form that the sandbox enforces. Rules for a single tool and bare rules are
 * omitted, except a bare `Edit` deny rule, which makes the whole workspace read-only.
 * @param roots The workspace's folders.
 */
export function pathRulesOf(rules: readonly Rule[], roots: readonly string[]): readonly PathRule[] {
  return rules.flatMap((rule): readonly PathRule[] => {
    const { decision, spec, text, tool } = rule;
    if (decision === "allow") return [];
    if (spec.kind === "any" && tool === "Edit" && decision === "deny")
      return [
        { text, decision, action: "write", plain: roots, folders: roots, mayEnd: () => false, matches: () => true },
      ];
    if (spec.kind !== "path" || spec.onlyTool !== undefined || spec.onlyFolderChange === true) return [];
    if (spec.isOutsideSandbox) return [];
    const { plain, folders, mayEnd, matches } = spec.pattern;
    return [{ text, decision, action: spec.action, plain, folders, mayEnd, matches }];
  });
}

/** True if a deny or ask rule applies to reading a path with any tool. @param path Absolute. */
export function isKeptBack(path: string, rules: readonly Rule[]): boolean {
  const subject: Subject = { action: "read", path };
  const tightening = rules.filter(({ decision }) => decision !== "allow");
  return [...READ_TOOLS].some((toolName) => tightening.some((rule) => tightensMatch(rule, { toolName, subject })));
}
