import { dirname, relative } from "node:path";
import { revealedLine } from "@quoll/terminal-text/one-line";
import type { InstructionFamily, InstructionFile, InstructionOrigin } from "../../../contracts/instructions.ts";
import { CHARS_PER_TOKEN } from "../../../contracts/token-estimate.ts";
import { shortPath } from "../../../platform/directories.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { areCostly, type Trigger } from "../../../platform/globs/trigger-globs.ts";
import { isInside, realPathOrSelf } from "../../../platform/paths.ts";
import type { Candidate } from "./find-candidates.ts";
import { importMentions, type Mention } from "./import-mentions.ts";
import { instructionElement } from "./instruction-element.ts";
import type { RuleHeader } from "./read-header.ts";
import { MAX_INSTRUCTION_CHARS, type ReadInstruction, readInstruction, sameText } from "./read-instruction.ts";

/** The maximum depth of imports: a file, and four more below it. */
export const MAX_IMPORT_DEPTH = 4;
/** The maximum number of files of one collection, including imports. */
export const MAX_INSTRUCTION_FILES = 200;
const MAX_PROBLEM_COLUMNS = 500;
const HIDDEN = "it may hold secrets, or a rule keeps it from the model";

export type InstructionFolders = {
  /** Absolute, symlinks resolved. */
  readonly projectRoot: string;
  /** The working folder now. */
  readonly cwd: string;
  /** `$HOME`. */
  readonly home: string;
};

export type InstructionAccess = {
  isOff(family: InstructionFamily): boolean;
  /** True for a path that a rule hides from the model, or that may hold secrets. */
  isHidden(path: string): boolean;
  /** True for a path that may hold secrets: it is never read here, regardless of any rule. */
  isSecret(path: string): boolean;
  /** True if the model could read a path outside the project without a question. */
  mayRead(path: string): boolean;
  /** False for an untrusted project: its files can import nothing from outside the project. */
  readonly isTrusted: boolean;
  /** The text of a file with each credential replaced by a placeholder. */
  redact(text: string): string;
};

/** An instruction file with its text. */
export type InstructionItem = InstructionFile & {
  /** The text for the model; empty if the model gets no text. */
  readonly element: string;
  /** The same for equal texts. */
  readonly sameAs: string;
  /** The files for which the text waits. */
  readonly trigger?: Trigger;
};

export type Collected = {
  readonly items: readonly InstructionItem[];
  /** One printable line for each file of which the model does not get everything. */
  readonly problems: readonly string[];
};

type Source = Candidate & {
  readonly trigger?: Trigger;
  readonly appliesTo?: string;
  /**
   * Names of the files through which this file was imported, outermost first; empty for a file that was found directly.
   */
  readonly importedBy: readonly string[];
};

/**
 * Reads candidates and their imports in order, and reports the state of each. The same file and the same text are used
 * once.
 * @param appliesTo The files to which the candidates apply, as the model is told; absent for all files.
 */
export function collectInstructions(
  candidates: readonly Candidate[],
  folders: InstructionFolders,
  access: InstructionAccess,
  appliesTo?: string,
): Collected {
  const collection = new Collection(folders, access);
  for (const candidate of candidates)
    collection.add({ ...candidate, ...(appliesTo !== undefined && { appliesTo }), importedBy: [] });
  return collection;
}

class Collection implements Collected {
  readonly items: InstructionItem[] = [];
  readonly problems: string[] = [];
  readonly #folders: InstructionFolders;
  readonly #access: InstructionAccess;
  /** Files that were read, by their real path, with their names. */
  readonly #read = new Map<string, string>();
  /** Active texts, with the names of their files. */
  readonly #inForce = new Map<string, string>();

  constructor(folders: InstructionFolders, access: InstructionAccess) {
    this.#folders = folders;
    this.#access = access;
  }

  add(source: Source): void {
    const { path, family } = source;
    const real = realPathOrSelf(path);
    const known = this.#read.get(real);
    if (known !== undefined) {
      if (path !== real) this.#note(source, { state: "duplicate", why: `the same file as ${known}` });
      return;
    }
    if (this.#access.isOff(family)) {
      this.#note(source, { state: "off", why: `the setting instructions.${family} is false` });
      return;
    }
    if (this.#read.size >= MAX_INSTRUCTION_FILES) {
      this.#problem(`There are more than ${MAX_INSTRUCTION_FILES} instruction files. The others were left out.`);
      return;
    }
    this.#read.set(real, this.#name(path));
    const refusal = this.#refusal(source, real);
    if (refusal !== undefined) {
      this.#note(source, { state: "left out", why: refusal });
      return;
    }
    const read = readInstruction(real, source.rule !== undefined, (text) => this.#access.redact(text));
    if ("problem" in read) {
      this.#problem(`${this.#name(path)} was left out: ${read.problem}.`);
      this.#note(source, { state: "left out", why: read.problem });
    } else if (read.body === "") this.#note(source, { state: "left out", why: "it is empty", chars: read.chars });
    else this.#take(source, read, dirname(real));
  }

  /** The reason why a file may not be read. */
  #refusal({ path, origin, folder, importedBy }: Source, real: string): string | undefined {
    const { projectRoot, home } = this.#folders;
    const importer = importedBy.at(-1);
    const what = importer === undefined ? this.#name(path) : `${this.#name(path)}, imported by ${importer},`;
    if ([path, real].some((one) => this.#access.isSecret(one) || this.#access.isHidden(one))) {
      if (importer !== undefined || real !== path) this.#problem(`${what} was left out: ${HIDDEN}.`);
      return HIDDEN;
    }
    const { isTrusted } = this.#access;
    const isOfFolder = origin === "above" && isInside(folder, real);
    if (isOwn(origin) || isOfFolder || isInside(projectRoot, real) || (isTrusted && this.#access.mayRead(real)))
      return undefined;
    const target = shortPath(real, home);
    const leads = real === path ? "it is outside the project" : `it leads out of the project, to ${target}`;
    if (!isTrusted) {
      this.#problem(`${what} was left out: ${leads}, and the project is not trusted.`);
      return leads;
    }
    const rule = `Read(${target.startsWith("/") ? "/" : ""}${target})`;
    this.#problem(`${what} was left out: ${leads}. To include the file, add the allow rule ${rule}.`);
    return leads;
  }

  #take(source: Source, read: ReadInstruction, folder: string): void {
    const name = this.#name(source.path);
    const { chars } = read;
    const when = whenOf(source, read.header);
    if (when.state === "left out") {
      if (areCostly(read.header.globs)) this.#problem(`${name} was left out: ${when.why}.`);
      this.#note(source, { state: when.state, why: when.why, chars });
      return;
    }
    const isNamed = when.state === "named";
    const trigger = when.state === "waits" ? when.trigger : source.trigger;
    const state = isNamed ? "named" : trigger ? "waits" : "active";
    const body = isNamed ? when.pointer : withCut(read, name);
    const sameAs = sameText(body);
    const twin = this.#inForce.get(sameAs);
    if (twin !== undefined) {
      this.#note(source, { state: "duplicate", why: `the same text as ${twin}`, chars });
      return;
    }
    if (state !== "waits") this.#inForce.set(sameAs, name);
    if (read.isCut)
      this.#problem(`${name} has ${chars} characters. The model gets the first ${MAX_INSTRUCTION_CHARS} of its text.`);
    const appliesTo = trigger ? trigger.globs.join(", ") : source.appliesTo;
    const element = instructionElement({ name, body, ...(appliesTo !== undefined && { appliesTo }) });
    const why = whyOf({
      isNamed,
      isCut: read.isCut,
      waitsFor: trigger && appliesTo,
      importer: source.importedBy.at(-1),
    });
    this.#note(source, { state, element, sameAs, chars, ...(why && { why }), ...(trigger && { trigger }) });
    if (isNamed) return;
    const { rule: _, ...from } = { ...source, importedBy: [...source.importedBy, name], ...(trigger && { trigger }) };
    for (const mention of importMentions(read.body, folder, this.#folders.home)) this.#import(from, mention);
  }

  #import(from: Source, mention: Mention): void {
    const { isSurelyFile } = mention;
    const path = [mention.path, ...mention.others].find((one) => kindAt(one) !== undefined) ?? mention.path;
    const importer = from.importedBy.at(-1);
    const known = this.#read.get(realPathOrSelf(path));
    if (known !== undefined) {
      if (!from.importedBy.includes(known)) return;
      this.#problem(`${importer} imports ${known}, which imports it. The circle was cut there.`);
      return;
    }
    const name = this.#name(path);
    if (kindAt(path) === "file" || (isSurelyFile && kindAt(path) !== undefined)) {
      if (from.importedBy.length <= MAX_IMPORT_DEPTH) this.add({ ...from, path, origin: this.#originOf(path, from) });
      else this.#problem(`${name}, imported by ${importer}, was left out: imports go ${MAX_IMPORT_DEPTH} files deep.`);
    } else if (isSurelyFile) this.#problem(`${importer} imports ${name}, which does not exist.`);
  }

  /**
   * A project's file keeps this origin when the user's own file imports it: it may not import what the user's files
   * may.
   */
  #originOf(path: string, { origin }: Source): InstructionOrigin {
    return isOwn(origin) && isInside(this.#folders.projectRoot, realPathOrSelf(path)) ? "project" : origin;
  }

  #note(source: Source, item: Pick<InstructionItem, "state"> & Partial<InstructionItem>): void {
    const { path, family, origin } = source;
    const { element = "" } = item;
    const tokens = Math.ceil(element.length / CHARS_PER_TOKEN);
    this.items.push({ path, name: this.#name(path), family, origin, chars: 0, sameAs: "", ...item, element, tokens });
  }

  #name(path: string): string {
    return nameOf(path, this.#folders);
  }

  #problem(line: string): void {
    const shown = revealedLine(line, MAX_PROBLEM_COLUMNS);
    if (!this.problems.includes(shown)) this.problems.push(shown);
  }
}

/** True for the files of the administrator and of the user. */
function isOwn(origin: InstructionOrigin): boolean {
  return origin === "managed" || origin === "user";
}

type When =
  | { readonly state: "active" }
  | { readonly state: "waits"; readonly trigger: Trigger }
  | { readonly state: "named"; readonly pointer: string }
  | { readonly state: "left out"; readonly why: string };

/** The header of a file decides when the model gets its text. */
function whenOf({ rule, folder }: Source, { globs, alwaysApply, description }: RuleHeader): When {
  if (rule === undefined || alwaysApply === true) return { state: "active" };
  if (areCostly(globs)) return { state: "left out", why: "the globs in its header are too long" };
  if (globs.length > 0) return { state: "waits", trigger: { folder, globs } };
  if (rule === "markdown") return { state: "active" };
  if (description === undefined) return { state: "left out", why: "its header names neither files nor a description" };
  return { state: "named", pointer: `Read this file when it concerns your task: ${description}` };
}

function withCut({ body, isCut, chars }: ReadInstruction, name: string): string {
  return isCut ? `${body}\n… cut here: ${chars} characters in all; Read the rest of ${name}.` : body;
}

type Reasons = {
  readonly isNamed: boolean;
  readonly isCut: boolean;
  readonly waitsFor: string | undefined;
  readonly importer: string | undefined;
};

function whyOf({ isNamed, isCut, waitsFor, importer }: Reasons): string | undefined {
  const reasons = [
    ...(isNamed ? ["the model reads it when its description fits"] : []),
    ...(isCut ? [`cut after ${MAX_INSTRUCTION_CHARS} characters`] : []),
    ...(waitsFor === undefined ? [] : [`for ${waitsFor}`]),
    ...(importer === undefined ? [] : [`imported by ${importer}`]),
  ];
  return reasons.length === 0 ? undefined : reasons.join(", ");
}

/** The path for people and the model: relative if the session works at the top of the project, otherwise absolute. */
export function nameOf(path: string, { projectRoot, cwd, home }: InstructionFolders): string {
  if (!isInside(projectRoot, path)) return shortPath(path, home);
  return cwd === projectRoot ? relative(projectRoot, path) : path;
}
