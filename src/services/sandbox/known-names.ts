import { PROTECTED_NAMES } from "../../contracts/protected-names.ts";

export type KnownName = {
  /** Relative; without a slash at its end. */
  readonly name: string;
  readonly onlyAtHome: boolean;
  readonly onlyToldWhenNew: boolean;
};

/** The protected names that mean something in a writable folder. */
export const KNOWN_NAMES: readonly KnownName[] = PROTECTED_NAMES.flatMap(
  ({ names, onlyAtHome = false, onlyToldWhenNew = false }) =>
    names.map((name) => ({ name: name.replace(/\/$/, ""), onlyAtHome, onlyToldWhenNew })),
).filter(({ name }) => !name.startsWith("etc/") && name !== "git~1");

const ANYWHERE = foldedNames(({ onlyAtHome }) => !onlyAtHome);
const AT_HOME = foldedNames(({ onlyAtHome }) => onlyAtHome);
const MOVED_ANYWHERE = foldedNames(({ onlyAtHome, onlyToldWhenNew }) => !onlyAtHome && !onlyToldWhenNew);
const MOVED_AT_HOME = foldedNames(({ onlyAtHome, onlyToldWhenNew }) => onlyAtHome && !onlyToldWhenNew);

/** @param isAtHome Whether it lies in a home folder. */
export function isKnownName(name: string, isAtHome: boolean): boolean {
  const folded = fold(name);
  return ANYWHERE.has(folded) || (isAtHome && AT_HOME.has(folded));
}

/** Whether a new entry of this name, at the top of a writable folder, does not stay. */
export function isMovedWhenNew(name: string, isAtHome: boolean): boolean {
  const folded = fold(name);
  return MOVED_ANYWHERE.has(folded) || (isAtHome && MOVED_AT_HOME.has(folded));
}

function foldedNames(isWanted: (name: KnownName) => boolean): ReadonlySet<string> {
  return new Set(KNOWN_NAMES.filter(isWanted).map(({ name }) => fold(name)));
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
