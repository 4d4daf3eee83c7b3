import type { Subject } from "../../../contracts/subject.ts";
import { tightensMatch } from "./match-rule.ts";
import { READ_TOOLS, type Rule } from "./rule.ts";

/** True if a deny or ask rule applies to reading a path with any tool. @param path Absolute. */
export function isKeptBack(path: string, rules: readonly Rule[]): boolean {
  const subject: Subject = { action: "read", path };
  const tightening = rules.filter(({ decision }) => decision !== "allow");
  return [...READ_TOOLS].some((toolName) => tightening.some((rule) => tightensMatch(rule, { toolName, subject })));
}
