import type { SimpleCommand } from "@quoll/bash-syntax/types";
import type { SessionTemporary } from "../../../contracts/ports.ts";
import { folderAfter, type ShellFolder } from "./shell-folder.ts";

/**
 * The folder of each command in a line. A `cd` affects later commands at its own depth; inside a substitution or a function it
 * does not affect the surrounding line, and a function runs in the folder of its call.
 */
export class FolderScopes {
  /** The folder at each depth of `within`; the last is the deepest open one. */
  readonly #folders: ShellFolder[];
  readonly #functionsMove: boolean;
  readonly #anyMoves: boolean;
  readonly #loopsMove: boolean;
  #moved = false;
  #isChanged = false;

  readonly #temporary: SessionTemporary | undefined;

  constructor(commands: readonly SimpleCommand[], start: ShellFolder, temporary?: SessionTemporary) {
    this.#temporary = temporary;
    // After a `cd` in a loop, the loop's first command runs in the next folder.
    // A command that cannot be known may fail, and bash then skips the rest of its line.
    this.#isChanged = commands.some(({ unknown }) => unknown.length > 0);
    this.#loopsMove = commands.some((command) => command.repeats === true && isMove(command));
    this.#folders = [this.#loopsMove ? undefined : start];
    this.#anyMoves = commands.some(isMove);
    this.#functionsMove = commands.some((command) => command.within.includes("function") && isMove(command));
  }

  /** True if the shell may end in another folder. */
  get moved(): boolean {
    return this.#moved;
  }

  /** The folder of a command. Commands must be queried in order. */
  at(command: SimpleCommand): ShellFolder {
    this.#settle(command.within.length);
    if (this.#functionsMove || (this.#anyMoves && command.within.includes("function"))) return undefined;
    return this.#folders.at(-1);
  }

  /** Records that a command has run. @param readOnly it changed nothing that affects a later `cd`. */
  async after(command: SimpleCommand, readOnly: boolean): Promise<void> {
    this.#settle(command.within.length);
    const before = this.#folders.at(-1);
    const after = isMove(command) && this.#isChanged ? undefined : await folderAfter(command, before, this.#temporary);
    this.#folders[this.#folders.length - 1] = after;
    if ((after !== before || isMove(command)) && !command.within.includes("substitution")) this.#moved = true;
    if (!readOnly) this.#isChanged = true;
  }

  #settle(depth: number): void {
    this.#folders.length = Math.min(this.#folders.length, depth + 1);
    while (this.#folders.length <= depth) this.#folders.push(this.#folders.at(-1));
  }
}

function isMove({ words }: SimpleCommand): boolean {
  const name = words[0]?.value;
  return name === undefined || /^(?:cd|pushd|popd|eval|source|\.|builtin|command)$/.test(name);
}
