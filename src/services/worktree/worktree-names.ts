import { randomInt } from "node:crypto";
import { UserFacingError } from "../../contracts/errors.ts";
import { words } from "../../contracts/words.ts";

const MAX_NAME_CHARS = 64;
/** Names are parts of branch names (git-check-ref-format(1)) and of paths. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))*$/;
const RANDOM_NUMBERS = 10_000;

const FIRST = ["amber", "brisk", "calm", "clear", "deep", "early", "fair", "green", "quick", "quiet", "sunny", "warm"];
const SECOND = words("brook cedar cove field grove heath lake meadow peak ridge shore vale");

/** The branch of a worktree. */
export function branchOf(name: string): string {
  return `quoll/${name}`;
}

/** @throws {UserFacingError} (exit 2) the text can't be the name of a worktree. */
export function assertWorktreeName(name: string): void {
  if (NAME.test(name) && name.length <= MAX_NAME_CHARS && !name.toLowerCase().endsWith(".lock")) return;
  throw new UserFacingError(
    `${JSON.stringify(name.slice(0, MAX_NAME_CHARS))} can't be the name of a worktree: use up to ${MAX_NAME_CHARS} letters, digits, -, _ and single dots.`,
    2,
  );
}

/** A name that is easy to read and type; it may be taken. */
export function randomName(): string {
  const pick = (words: readonly string[]) => words[randomInt(words.length)] ?? "new";
  return `${pick(FIRST)}-${pick(SECOND)}-${randomInt(RANDOM_NUMBERS)}`;
}
