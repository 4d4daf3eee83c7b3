import type { RuleSource } from "../../contracts/settings.ts";
import { ignoresCase, realPathOrSelf } from "../../platform/paths.ts";
import { type CompiledRules, compileRules } from "../../services/permission/rules/compile-rules.ts";
import type { ProjectEnvironment } from "./project-environment.ts";

type RulesEnvironment = Pick<ProjectEnvironment, "rules" | "workspace" | "own" | "isTrusted" | "settings">;

/**
 * Compiles rules as a session in this place does.
 * @param rules The rules to compile; by default all rules of the place.
 * @throws {UserFacingError} (exit 2) a rule is invalid.
 */
export function compileProjectRules(
  environment: RulesEnvironment,
  rules: readonly RuleSource[] = environment.rules,
): CompiledRules {
  const { workspace, own, isTrusted, settings } = environment;
  return compileRules(rules, {
    roots: workspace.roots,
    home: realPathOrSelf(own.home),
    isCaseInsensitive: workspace.roots.some(ignoresCase),
    realPath: realPathOrSelf,
    isTrusted,
    managedRulesOnly: settings.managedRulesOnly,
  });
}
