import { Command } from "commander";

/**
 * A command that declares only those options that occur in the given words. `--no-…` options, and those added with `addOption`, are always
 * declared, because they have a value without occurring. Declaring all options takes milliseconds of the start. The help and the errors of
 * this command are not complete.
 */
export class GivenOptions extends Command {
  readonly #names: ReadonlySet<string>;
  readonly #letters: string;

  constructor(name: string, words: readonly string[]) {
    super(name);
    this.#names = new Set(words.map((word) => word.replace(/=.*$/s, "")));
    this.#letters = words.filter((word) => /^-[^-]/.test(word)).join("");
  }

  override option(...declaration: [flags: string, ...rest: never[]]): this {
    return this.#occurs(declaration[0]) ? Reflect.apply(super.option, this, declaration) : this;
  }

  /** @param flags `-C, --cwd <folder>` */
  #occurs(flags: string): boolean {
    return flags.split(/[ ,]+/).some((part) => {
      if (part.startsWith("--")) return part.startsWith("--no-") || this.#names.has(part);
      return part.startsWith("-") && this.#letters.includes(part.slice(1));
    });
  }
}
