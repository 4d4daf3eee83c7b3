import { PROTECTED_NAMES } from "../../contracts/protected-names.ts";

export type SandboxName = {
  /** Relative, without a trailing slash. */
  readonly name: string;
  readonly onlyAtHome: boolean;
  readonly onlyReportedWhenNew: boolean;
};

/** The protected names that matter in a writable folder. */
export const SANDBOX_NAMES: readonly SandboxName[] = PROTECTED_NAMES.flatMap(
  ({ names, onlyAtHome = false, onlyReportedWhenNew = false }) =>
    names.map((name) => ({ name: name.replace(/\/$/, ""), onlyAtHome, onlyReportedWhenNew })),
).filter(({ name }) => !name.startsWith("etc/") && name !== "git~1");

const ANYWHERE = foldedNames(({ onlyAtHome }) => !onlyAtHome);
const AT_HOME = foldedNames(({ onlyAtHome }) => onlyAtHome);
const MOVED_ANYWHERE = foldedNames(({ onlyAtHome, onlyReportedWhenNew }) => !onlyAtHome && !onlyReportedWhenNew);
const MOVED_AT_HOME = foldedNames(({ onlyAtHome, onlyReportedWhenNew }) => onlyAtHome && !onlyReportedWhenNew);

/** @param isAtHome True if the entry lies in a home folder. */
export function isProtectedName(name: string, isAtHome: boolean): boolean {
  const folded = fold(name);
  return ANYWHERE.has(folded) || (isAtHome && AT_HOME.has(folded));
}

/** True if a new entry with this name at the top of a writable folder is moved aside. */
export function isMovedWhenNew(name: string, isAtHome: boolean): boolean {
  const folded = fold(name);
  return MOVED_ANYWHERE.has(folded) || (isAtHome && MOVED_AT_HOME.has(folded));
}

function foldedNames(isWanted: (name: SandboxName) => boolean): ReadonlySet<string> {
  return new Set(SANDBOX_NAMES.filter(isWanted).map(({ name }) => fold(name)));
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
