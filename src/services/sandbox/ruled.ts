import type { PathRule } from "../../contracts/permission.ts";

export type RuledPlace = { readonly path: string; readonly rule: PathRule };

/** A rule that can't be carried out in full, and why. */
export type RuleGap = {
  readonly rule: string;
  readonly why: string;
  /** Only installed packages and caches are not looked through: what is hidden by a rule hardly ever lies there. */
  readonly isMinor: boolean;
};

export type Ruled = {
  readonly places: readonly RuledPlace[];
  readonly gaps: readonly RuleGap[];
  /** Ask rules about paths that this command names: what it makes there was allowed. */
  readonly opened: ReadonlySet<PathRule>;
};

export const NO_RULES: Ruled = { places: [], gaps: [], opened: new Set() };
