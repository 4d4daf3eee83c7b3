import { downloadName } from "./download-name.ts";
import { type KnownOptions, knownOptions, longKind, type OptionKind } from "./known-options.ts";
import type { OptionTable } from "./option-table.ts";
import { isRevisionWord } from "./revision-words.ts";
import type { ShellWord, UncoveredWord } from "./types.ts";

export type ScannedOptions = {
  readonly uncovered: readonly UncoveredWord[];
  /** Values of options that name written files. */
  readonly outputs: readonly string[];
  /** The options that occur. */
  readonly seen: ReadonlyMap<string, string | undefined>;
  /** The number of words that are neither options nor their values. */
  readonly operands: number;
};

/** With fewer characters, the beginning of an option may be any option. */
const MIN_SHORTENED_CHARS = 2;

type Found = { readonly name: string; readonly kind: OptionKind | undefined; readonly value: string | undefined };

/** Sorts the words after a program's name into those that the program's table knows and all others. */
export function scanOptions(table: OptionTable, args: readonly ShellWord[]): ScannedOptions {
  return new OptionScan(table, table.bundledFirst ? unbundled(table, args) : args).run();
}

class OptionScan {
  readonly #table: OptionTable;
  readonly #args: readonly ShellWord[];
  readonly #uncovered: UncoveredWord[] = [];
  readonly #outputs: string[] = [];
  #known: KnownOptions;
  #sub: string | undefined;
  readonly #seen = new Map<string, string | undefined>();
  #operands = 0;
  readonly #addresses: { readonly text: string | undefined; readonly source: string }[] = [];
  /** True if the next operand is the name of a script. */
  #namesScript = false;
  #isBehindScript = false;

  constructor(table: OptionTable, args: readonly ShellWord[]) {
    this.#table = table;
    this.#args = args;
    this.#known = knownOptions(table, undefined) ?? new Map();
    this.#namesScript = table.script === "first";
  }

  run(): ScannedOptions {
    for (let at = 0; at < this.#args.length; at += 1) {
      const word = this.#args[at];
      const text = word && (word.value ?? startOf(word));
      if (text !== undefined && this.#table.startsCommand?.test(text)) {
        at = endOfCommand(this.#args, at);
        continue;
      }
      if (word === undefined) break;
      if (text === "--") {
        this.#behindDashes(this.#args.slice(at + 1));
        break;
      }
      if (text === undefined && isRevisionWord(word)) continue;
      if (text === undefined) {
        // A word that begins with an expansion may be an option or an operand.
        if (!this.#isBehindScript && !this.#table.plainExpansion?.test(word.source)) this.#refuse(word.source, false);
        this.#operandSeen(undefined);
      } else if (text.startsWith("-") && text !== "-") at += this.#option(word, text, this.#args[at + 1]);
      else if (!this.#operand(text, word)) break;
      if (this.#isBehindScript && !this.#table.readsBehindScript) break;
    }
    this.#nameDownloads();
    return { uncovered: this.#uncovered, outputs: this.#outputs, seen: this.#seen, operands: this.#operands };
  }

  /** @returns the number of following words that are its values. */
  #option(word: ShellWord, text: string, next: ShellWord | undefined): number {
    const found = this.#findOption(text);
    const { kind } = found;
    // The option as written: if the program treats `--x` as `-x`, a rule names `--x`.
    const name = text.startsWith("--") ? text.replace(/=.*$/s, "") : found.name;
    const takes =
      found.value !== undefined
        ? 0
        : kind === "pair"
          ? 2
          : kind === "value" || kind === "output" || kind === "config" || kind === "code"
            ? 1
            : 0;
    // A value that is known only at run time is never an option.
    const value = found.value ?? (takes > 0 ? next?.value : undefined);
    this.#seen.set(found.name, value);
    if (this.#table.downloads?.address?.includes(found.name)) this.#addresses.push({ text: value, source: name });
    if (this.#isRefused(found.name, kind, value) || this.#table.refusedOption?.test(text))
      this.#refuse(name, kind !== undefined);
    else if (kind === "config") this.#refuse(name, true, value === "-" ? undefined : value);
    else if (kind === "output" && takes === 0 && word.value === undefined) this.#refuse(name, false);
    else if (kind === "output" && value !== undefined) this.#outputs.push(...outputPaths(name, value));
    return takes;
  }

  #isRefused(name: string, kind: OptionKind | undefined, value: string | undefined): boolean {
    if (kind === undefined) return !this.#isBehindScript && !this.#table.isOpen;
    const isListed = (pairs: OptionTable["plain"] = []) =>
      pairs.some(([option, values]) => option.test(name) && value !== undefined && values.test(value));
    if (kind === "code" || kind === "switch") return !isListed(this.#table.plain);
    return isListed(this.#table.refused);
  }

  #findOption(text: string): Found {
    if (!this.#table.singleDash || !/^--[A-Za-z]/.test(text)) return this.#find(text);
    const found = this.#find(text.slice(1));
    return found.kind === undefined ? this.#findShortened(found.name, found.value) : found;
  }

  #find(text: string): Found {
    const equals = text.indexOf("=");
    const name = equals < 0 ? text : text.slice(0, equals);
    const value = equals < 0 ? undefined : text.slice(equals + 1);
    const whole = text.startsWith("--") ? longKind(this.#known, name) : this.#known.get(name);
    if (whole !== undefined) return { name, kind: whole, value };
    if (text.startsWith("--")) return this.#findShortened(name, value);
    const glued = this.#findGlued(text);
    if (glued !== undefined) return glued;
    const behindNumber = this.#known.has("-#") ? /^-[0-9]+(?=(.*)$)/s.exec(text)?.[1] : undefined;
    if (behindNumber !== undefined) return this.#findShort(`-${behindNumber}`, text);
    if (this.#table.singleDash) return { name, kind: /^-(?:h|help|version)$/.test(name) ? "alone" : undefined, value };
    return this.#findShort(text);
  }

  /** Many programs take the beginning of a long option for the option. Only those that start a program matter here. */
  #findShortened(name: string, value: string | undefined): Found {
    const [long, kind] =
      name.replace(/^-+/, "").length < MIN_SHORTENED_CHARS
        ? []
        : (this.#codeOption((one) => one.startsWith(name)) ?? []);
    return { name: long ?? name, kind, value };
  }

  /** `-TTx`: an option of several letters that starts a program, with its value. */
  #findGlued(text: string): Found | undefined {
    const found = this.#codeOption((one) => /^-[^-]./.test(one) && text.startsWith(one));
    return found && { name: found[0], kind: found[1], value: text.slice(found[0].length) };
  }

  #codeOption(isMeant: (option: string) => boolean): readonly [string, OptionKind] | undefined {
    const isGuarded = (option: string, kind: OptionKind) =>
      kind === "code" || kind === "switch" || this.#table.refused?.some(([options]) => options.test(option));
    return [...this.#known].find(([option, kind]) => isMeant(option) && isGuarded(option, kind));
  }

  /** `-xzf`: all letters must be known; the first letter that takes a value takes the rest of the word. */
  #findShort(text: string, written = text): Found {
    for (let at = 1; at < text.length; at += 1) {
      const name = `-${text[at]}`;
      const kind = this.#known.get(name);
      this.#seen.set(name, undefined);
      const rest = text.slice(at + 1);
      if (kind === undefined) {
        // `-U5`
        const isNumber = at > 1 && /^[0-9]+$/.test(text.slice(at));
        return { name: written, kind: isNumber ? "alone" : undefined, value: undefined };
      }
      if (kind === "switch") return { name, kind, value: undefined };
      if (kind !== "alone") return { name, kind, value: rest === "" ? undefined : rest.replace(/^=/, "") };
    }
    return { name: written, kind: "alone", value: undefined };
  }

  /** @returns false if no later word belongs to this program. */
  #operand(text: string, word: ShellWord): boolean {
    const { refusedOperand, globalOperand, subs } = this.#table;
    if (refusedOperand?.test(text)) this.#refuse(/^[^=]*=?/.exec(text)?.[0] ?? text, true);
    if (this.#sub === undefined && globalOperand?.test(text)) return true;
    this.#addresses.push({ text: word.value, source: word.source });
    if (this.#namesScript || subs === undefined || this.#sub !== undefined) {
      this.#operandSeen(text);
      return true;
    }
    const known = word.value === undefined || word.isGlob ? undefined : knownOptions(this.#table, text);
    if (known === undefined) {
      if (!this.#table.otherSubIsScript) this.#refuse(text, false);
      return false;
    }
    this.#known = known;
    this.#sub = text;
    this.#enterScript(text);
    return true;
  }

  #operandSeen(text: string | undefined): void {
    this.#operands += 1;
    if (this.#namesScript) {
      this.#isBehindScript = true;
      this.#namesScript = false;
    } else if (text !== undefined && this.#sub !== undefined && !this.#isBehindScript) {
      if (this.#table.refusedSubs?.includes(`${this.#sub} ${text}`)) this.#refuse(text, true);
      this.#enterScript(`${this.#sub} ${text}`);
    }
  }

  #enterScript(words: string): void {
    const { script = [] } = this.#table;
    if (script === "first") return;
    if (script.includes(words)) this.#namesScript = true;
    if (script.includes(`${words}:`)) this.#isBehindScript = true;
  }

  #behindDashes(words: readonly ShellWord[]): void {
    this.#addresses.push(...words.map(({ value, source }) => ({ text: value, source })));
    this.#operands += words.length;
    const behindDashes = this.#table.behindDashesOf?.[this.#sub ?? ""] ?? this.#table.behindDashes;
    const refused = words.find(({ value }) => behindDashes && (value === undefined || !behindDashes.test(value)));
    if (refused) this.#refuse(refused.source, true);
  }

  /** A file with an unknown name causes a question. */
  #nameDownloads(): void {
    const { downloads } = this.#table;
    const has = (options: readonly string[]) => options.some((option) => this.#seen.has(option));
    if (!downloads || has(downloads.unless ?? []) || (downloads.beside && !has(downloads.beside))) return;
    const folder = downloads.into.flatMap((option) => this.#seen.get(option) ?? []).at(-1);
    for (const { text, source } of this.#addresses) {
      const name = text === undefined ? undefined : downloadName(text);
      if (name === undefined) this.#refuse(source, false);
      else this.#outputs.push(folder === undefined ? name : `${folder}/${name}`);
    }
  }

  #refuse(word: string, isCode: boolean, config?: string): void {
    const scope = [this.#table.name, this.#sub].filter((one) => one !== undefined && one !== word).join(" ");
    this.#uncovered.push({ word, scope, isCode, ...(config !== undefined && { config }) });
  }
}

/** The `;` or `+` after a command that `find -exec` starts; that command is judged separately. */
function endOfCommand(args: readonly ShellWord[], start: number): number {
  const end = args.findIndex(({ value }, at) => at > start && (value === ";" || value === "+"));
  return end < 0 ? args.length : end;
}

/** `tar cfI a x b` as `tar -c -f a -I x b`: each letter of the first word takes its value from the following words. */
function unbundled(table: OptionTable, args: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = args;
  if (first?.value === undefined || !/^[A-Za-z]+$/.test(first.value)) return args;
  const known = knownOptions(table, undefined);
  const options = [...first.value].flatMap((letter) => {
    const kind = known?.get(`-${letter}`);
    const takes = kind === "value" || kind === "output" || kind === "config" || kind === "code";
    return [{ ...first, value: `-${letter}` }, ...(takes ? rest.splice(0, 1) : [])];
  });
  return [...options, ...rest];
}

/**
 * The known beginning of a word whose end is known only at run time; undefined if the word begins with an expansion.
 */
function startOf({ source }: ShellWord): string | undefined {
  const bare = source.replace(/["'\\]/g, "");
  return /^(?:\$|`|<\(|~|\{)/.test(bare) ? undefined : bare;
}

/** The paths in the value of an option that names an output: `x`, `html:x`, `type=local,dest=x`. */
function outputPaths(name: string, value: string): readonly string[] {
  if (value === "-" || value === "") return [];
  const keyed = [...value.matchAll(/(?:^|,)dest=([^,]+)/g)].flatMap(([, path]) => path ?? []);
  if (keyed.length > 0) return keyed;
  const behind = /^[\w-]+:(.+)$/s.exec(value)?.[1];
  if (name === "--cov-report") return behind === undefined ? [] : [behind];
  return /^type=/.test(value) ? [] : [value];
}
