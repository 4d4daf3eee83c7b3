import type { PathRule } from "../../contracts/permission.ts";

export type RuledPath = { readonly path: string; readonly rule: PathRule };

/** A rule that the sandbox can't fully enforce, with the reason. */
export type RuleGap = {
  readonly rule: string;
  readonly why: string;
  /** True when only installed packages and caches are not searched: they rarely hold files that a rule hides. */
  readonly isMinor: boolean;
};

export type RuledPaths = {
  readonly mounts: readonly RuledPath[];
  readonly gaps: readonly RuleGap[];
  /** Ask rules for paths that this command names: the person allowed it to create files there. */
  readonly opened: ReadonlySet<PathRule>;
};

export const NO_RULES: RuledPaths = { mounts: [], gaps: [], opened: new Set() };
