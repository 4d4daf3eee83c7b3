import { join } from "node:path";
import { classify, isProcessSubstitution } from "@quoll/bash-syntax/classify";
import { reachesOnlyLoopback } from "@quoll/bash-syntax/needs-network";
import { resolvedSpellings } from "@quoll/bash-syntax/resolved-spellings";
import { isRevisionWord } from "@quoll/bash-syntax/revision-words";
import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { Reach, Redirect, SimpleCommand } from "@quoll/bash-syntax/types";
import type { SessionTemporary } from "../../../contracts/ports.ts";
import type { Hazard, Subject, UncoveredWord } from "../../../contracts/subject.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { isReplaced, nameInside } from "../../../platform/files/session-temporary.ts";
import { gitConfigUse } from "./git-branch-intents.ts";
import { gitShownFiles } from "./git-shown-files.ts";
import { hiddenFiles, NAMES_ONLY } from "./hidden-files.ts";
import { locateHazard } from "./locate-hazards.ts";
import { type NamedFiles, namedFiles } from "./named-files.ts";
import { networkReach, serverPlace } from "./network-reach.ts";
import { hasPlainNames, hasPlainStarts, withPlainPatterns } from "./plain-names.ts";
import type { ShellContext } from "./shell-context.ts";
import { cdTarget, givenPath, pathInShell, type ShellFolder } from "./shell-folder.ts";
import { programIsTrusted } from "./trusted-program.ts";

/** A placeholder for an unknown word. */
const PROBE = "./quoll-unknown-word";

/** The subjects of one simple command. */
export type CommandPart = {
  readonly command: SimpleCommand;
  readonly subjects: readonly Subject[];
  readonly readOnly: boolean;
  /** The parts that cannot be determined, as written. */
  readonly unclear: readonly string[];
};

/** Set for a command that starts other commands from its own words. */
export type OuterFacts = { readonly isTransparent: boolean; readonly unknown: readonly string[] };

type Execute = Extract<Subject, { action: "execute" }>;
type Touched = {
  readonly subjects: readonly Subject[];
  readonly readOnly: boolean;
  /** True if a trusted folder would make it `readOnly`. */
  readonly awaitsTrust?: boolean;
  readonly unclear: readonly string[];
  readonly hazards: readonly Hazard[];
};

/** Writing to these places has no lasting effect. */
const NOWHERE = /^\/dev\/(?:null|stdout|stderr|fd\/[12])$/;
/** An existing file, or a file that an earlier command of the line may create. */
const MAY_HOLD: ReadonlySet<ReturnType<typeof kindAt>> = new Set(["file", undefined]);

/** @param folder The command's folder; undefined if it is unknown. */
export async function judgeCommand(
  command: SimpleCommand,
  folder: ShellFolder,
  context: ShellContext,
  outer: OuterFacts = { isTransparent: false, unknown: [] },
): Promise<CommandPart> {
  const isElsewhere = command.within.some((place) => place === "remote" || place === "container");
  const redirects = isElsewhere ? NOTHING : await judgeRedirects(command.redirects, folder, context.temporary);
  const operands = isElsewhere ? NOTHING : await judgeOperands(command, folder, context, outer.isTransparent);
  const { hazards, needsNetwork, needsEngine, reaches, hasUnsaidEffects, uncovered } = classify(
    // Output files are separate subjects; a program may run what it reads.
    {
      ...command,
      redirects: command.redirects.filter(({ direction }) => direction === "read" || direction === "inline"),
    },
    // A workspace below /tmp contains work, not temporary files.
    (path) => context.workspace.contains(path) || context.cwd.startsWith(`${path.replace(/\/+$/, "")}/`),
  );
  const unclear = [...command.unknown, ...outer.unknown, ...operands.unclear, ...redirects.unclear];
  const inner = stripWrappers(command);
  const unknownWords = [
    ...(await withoutOwnConfig(uncovered, folder, context)),
    ...(folder && !isElsewhere ? await optionLikeNames(inner ?? command, folder.real) : []),
  ];
  const isLocal = needsNetwork && reachesOnlyLoopback(inner ?? command);
  const server = isLocal && operands.readOnly ? serverPlace(inner ?? command) : "unknown";
  const brings = folder ? ((await context.brings?.(command, folder.real)) ?? []) : [];
  const subject: Execute = {
    action: "execute",
    command: spelling(command),
    ...(inner && { alternatives: [inner.source] }),
    ...resolvedOf([command, ...(inner ? [inner] : [])]),
    assignments: (inner ?? command).assignments.map(({ source }) => source),
    understood: unclear.length === 0,
    readOnly: operands.readOnly && !isElsewhere && unclear.length === 0 && server !== "own",
    ...(operands.awaitsTrust && !isElsewhere && unclear.length === 0 && { awaitsTrust: true }),
    hazards: [
      ...(
        await Promise.all(
          hazards.map((hazard) => locateHazard(hazard, isElsewhere ? undefined : folder, context.temporary)),
        )
      ).filter((hazard) => hazard !== undefined),
      ...redirects.hazards,
    ],
    ...(hasUnsaidEffects && { unsaid: true }),
    ...(needsNetwork && { needsNetwork }),
    ...(needsEngine && { needsEngine }),
    ...(reaches && reachOf(reaches, context.env)),
    ...(isLocal && server !== "host" && { onlyLoopback: true }),
    ...(gitConfigUse(command)?.writesOthers && { changesGitConfig: true }),
    ...(brings.length > 0 && { brings }),
    ...(unknownWords.length > 0 && { uncovered: unknownWords }),
  };
  return {
    command,
    subjects: [subject, ...operands.subjects, ...redirects.subjects],
    readOnly: subject.readOnly && redirects.readOnly,
    unclear,
  };
}

function reachOf(reach: Reach, env: ShellContext["env"]): Pick<Execute, "reaches"> {
  const reaches = networkReach(reach, env);
  return reaches ? { reaches } : {};
}

/** A file or folder of the project may influence a program. */
async function withoutOwnConfig(
  words: ReturnType<typeof classify>["uncovered"],
  folder: ShellFolder,
  { workspace }: ShellContext,
): Promise<readonly UncoveredWord[]> {
  const kept = await Promise.all(
    words.map(async ({ config, ...word }) => {
      if (config === undefined) return [word];
      if (NOWHERE.test(config)) return [];
      const path = folder && (await pathInShell(config, folder.real));
      return path !== undefined && workspace.contains(path) ? [] : [word];
    }),
  );
  return kept.flat();
}

/** Patterns that match a file whose name begins with a dash: the program would read it as an option that the line does not name. */
async function optionLikeNames({ words }: SimpleCommand, folder: string): Promise<readonly UncoveredWord[]> {
  const end = words.findIndex(({ value }) => value === "--");
  const patterns = (end < 0 ? words : words.slice(0, end)).filter(
    ({ isGlob, value }) => isGlob && /^[*?[]/.test(value ?? ""),
  );
  if (patterns.length === 0 || (await hasPlainStarts(folder))) return [];
  const scope = words[0]?.source ?? "";
  return patterns.map(({ source }) => ({ word: source, scope, isCode: true }));
}

/** Undefined if the shell passes the words unchanged. */
function resolvedOf(commands: readonly SimpleCommand[]): { readonly resolved?: readonly string[] } {
  const written = commands.map(({ source }) => source);
  const resolved = [...new Set(commands.flatMap(resolvedSpellings))].filter((one) => !written.includes(one));
  return resolved.length > 0 ? { resolved } : {};
}

const NOTHING: Touched = { subjects: [], readOnly: true, unclear: [], hazards: [] };

/** An assignment or a redirect without a command gets a descriptive name. */
function spelling({ words, assignments, redirects, source }: SimpleCommand): string {
  if (words.length > 0) return source;
  const parts = assignments.length > 0 ? assignments : redirects;
  return parts.map((part) => part.source).join(" ");
}

async function judgeOperands(
  command: SimpleCommand,
  folder: ShellFolder,
  context: ShellContext,
  isTransparent: boolean,
): Promise<Touched> {
  const view = context.temporary;
  // Files of redirects are separate subjects.
  const found = foundBy(command, context);
  const spelled = found?.as ?? (await plainly(command, folder, context));
  const { readOnly, reads, unexpectedWrites, ...more } = classify({ ...spelled, redirects: [] });
  const writes = more.writes.filter((path) => !NOWHERE.test(path));
  const isBare = command.words.length === 0;
  const target = cdTarget(command);
  const readPaths = target === undefined ? reads.filter((path) => mayBeFile(path, reads, folder)) : [target];
  const isFolderChange = target !== undefined;
  const programName = (stripWrappers(command) ?? command).words[0]?.value?.split("/").at(-1) ?? "";
  const isNameOnly = readOnly && NAMES_ONLY.has(programName);
  const read = await Promise.all(
    readPaths.map((path) => pathSubject("read", path, folder, { byCommand: true, isFolderChange, isNameOnly, view })),
  );
  const written = await Promise.all(
    writes.map((path) =>
      pathSubject("write", atHome(path, context.env), folder, { byCommand: !unexpectedWrites.includes(path), view }),
    ),
  );
  const isForAll = (subject: Subject | undefined) =>
    subject?.action === "read" && OF_THE_MACHINE.test(subject.path) && !context.isHidden(subject.path);
  const isHarmless = readOnly || isTransparent;
  const isKnown =
    isHarmless &&
    read.every((subject) => subject !== undefined) &&
    (folder !== undefined || reads.every((path) => path.startsWith("/")));
  const isSure = isBare
    ? command.assignments.every(({ name }) => !Object.hasOwn(context.env, name))
    : isKnown && (await programIsTrusted(command, stripWrappers(command), { ...context, cwd: folder?.real }));
  const hidden = folder ? await hiddenSubjects(command, folder.real, read, context) : [];
  // Commands that the tables know as readers declare the files they read.
  const named = readOnly ? NO_FILES : await namedFiles(stripWrappers(command) ?? command, folder, context);
  const isNamed = (path: string) =>
    [...read, ...(context.isHidden(path) ? [] : written)].some((one) => one && "path" in one && one.path === path);
  const handed = found?.isInner ? (context.found?.reads ?? []) : [];
  const others = [...named.paths.map(readOf), ...handed.map(foundOf)].filter(
    (one) => "path" in one && !isNamed(one.path),
  );
  return {
    subjects: [...read.filter((one) => !isForAll(one)), ...(hidden ?? []), ...others, ...written]
      .filter((subject) => subject !== undefined)
      .map((subject) => inTemporary(subject, view)),
    readOnly: hidden === undefined ? false : isBare ? isSure : isHarmless && isSure,
    awaitsTrust: hidden !== undefined && isKnown && !isSure && (await isFreeWithTrust(command, folder, context)),
    unclear: [
      ...([...read, ...written].some((subject) => subject === undefined)
        ? [`${command.source} (in which folder?)`]
        : []),
      ...unknownFiles(spelled),
      ...named.unclear,
    ],
    hazards: [],
  };
}

async function isFreeWithTrust(command: SimpleCommand, folder: ShellFolder, context: ShellContext): Promise<boolean> {
  if (context.isTrusted || command.words.length === 0) return false;
  return programIsTrusted(command, stripWrappers(command), { ...context, isTrusted: true, cwd: folder?.real });
}

/** The command that the tables judge instead of a command that receives or passes on files. */
function foundBy(command: SimpleCommand, { found }: ShellContext) {
  if (found?.outer === command.source && command.within.length === 0) return { as: found.asOuter, isInner: false };
  if (found?.inner === command.source && command.within.at(-1) === "arguments")
    return { as: found.asInner, isInner: true };
  return undefined;
}

/** The command with its patterns written so that none can match a flag, if that is equivalent. */
async function plainly(command: SimpleCommand, folder: ShellFolder, context: ShellContext): Promise<SimpleCommand> {
  const plain = context.onlyLooks ? withPlainPatterns(command) : command;
  return plain !== command && folder && (await hasPlainNames(folder.real)) ? plain : command;
}

/** `HEAD:a` is the file `a`, which is named separately, unless a file has exactly this name. */
function mayBeFile(path: string, reads: readonly string[], folder: ShellFolder): boolean {
  const colon = path.indexOf(":");
  const isRevision = colon >= 0 && reads.some((other) => other !== path && other !== "." && path.endsWith(`:${other}`));
  return (
    !isRevision || folder === undefined || kindAt(join(path.startsWith("/") ? "/" : folder.real, path)) !== undefined
  );
}

/** Files that describe the machine and are the same for every user. */
const OF_THE_MACHINE =
  /^\/(?:etc\/(?:os-release|lsb-release|debian_version|alpine-release|issue)|usr\/lib\/os-release|proc\/(?:cpuinfo|meminfo|version|loadavg|uptime))$/;

const NO_FILES: NamedFiles = { paths: [], unclear: [] };

function foundOf(path: string): Subject {
  return { action: "read", path, byCommand: true, isFound: true };
}

function readOf(path: string): Subject {
  return { action: "read", path, byCommand: true };
}

/** @returns undefined if the shown files cannot be determined. */
async function hiddenSubjects(
  command: SimpleCommand,
  cwd: string,
  read: readonly (Subject | undefined)[],
  context: ShellContext,
): Promise<readonly Subject[] | undefined> {
  const reads = read.flatMap((subject) => (subject?.action === "read" ? [subject.path] : []));
  const plain = stripWrappers(command) ?? command;
  const isHidden = (path: string) => context.isHidden(path);
  const paths = await hiddenFiles({
    command: plain,
    cwd,
    reads,
    isHidden,
    contains: (path) => context.workspace.contains(path),
    hasSearchSettings: context.env["RIPGREP_CONFIG_PATH"] !== undefined,
    temporary: context.temporary,
  });
  const shown = gitShownFiles({ command: plain, cwd, isHidden });
  if (paths === undefined || shown === undefined) return undefined;
  const isNew = (path: string) => !reads.includes(path);
  const named = [...new Set([...paths.named, ...shown])].filter(isNew);
  const below = paths.below.filter((path) => isNew(path) && !named.includes(path));
  return [...named.map(readOf), ...below.map(foundOf)];
}

async function judgeRedirects(
  redirects: readonly Redirect[],
  folder: ShellFolder,
  view: SessionTemporary | undefined,
): Promise<Touched> {
  const subjects: Subject[] = [];
  const unclear: string[] = [];
  const hazards: Hazard[] = [];
  let readOnly = true;
  for (const { direction, target, source } of redirects) {
    if (direction === "duplicate" || direction === "inline") continue;
    const { value } = target;
    if (direction === "write" && value !== undefined && NOWHERE.test(value)) continue;
    const subject = value === undefined ? undefined : await pathSubject(direction, value, folder, { view });
    if (subject) subjects.push(inTemporary(subject, view));
    else unclear.push(source);
    if (direction === "write" || subject === undefined) readOnly = false;
    const isTemporary =
      view !== undefined && subject?.action === "write" && nameInside(subject.path, view) !== undefined;
    if (isTemporary) continue;
    if (subject?.action === "write" && !source.includes(">>") && MAY_HOLD.has(kindAt(subject.path)))
      hazards.push({ kind: "overwrites", text: `overwrites ${value}`, paths: [subject.path], folder: folder?.real });
  }
  return { subjects, readOnly, unclear, hazards };
}

type PathUse = {
  readonly byCommand?: boolean;
  readonly isFolderChange?: boolean;
  readonly isNameOnly?: boolean;
  readonly view: SessionTemporary | undefined;
};

/**
 * Marks a file in the session's folder for temporary files, and a file of the machine's folder in its place. What a
 * search finds in the session's folder is not masked: the sandbox hides only files by their own path.
 */
function inTemporary(subject: Subject, view: SessionTemporary | undefined): Subject {
  if (!view || (subject.action !== "read" && subject.action !== "write")) return subject;
  const inside = nameInside(subject.path, view);
  if (inside === undefined) return isReplaced(subject.path, view) ? { ...subject, isOfMachine: true } : subject;
  return { ...subject, inside, ...(subject.action === "read" && { isFound: false }) };
}

/** @returns undefined if the file cannot be determined. */
async function pathSubject(
  action: "read" | "write",
  text: string,
  folder: ShellFolder,
  { byCommand = false, isFolderChange = false, isNameOnly = false, view }: PathUse,
): Promise<Subject | undefined> {
  if (text === "" || text.includes("\0")) return undefined;
  if (folder === undefined && !text.startsWith("/")) return undefined;
  const cwd = folder ?? { real: "/", logical: "/" };
  const path = await pathInShell(text, cwd.real, { view, isWrite: action === "write" || isFolderChange });
  if (path === undefined) return undefined;
  const given = givenPath(text, cwd.logical);
  return {
    action,
    path,
    ...(given !== path && { given }),
    ...(byCommand && { byCommand }),
    ...(isFolderChange && { isFolderChange }),
    ...(isNameOnly && { isNameOnly }),
  };
}

/** The tables name some files below the home folder; an operand that really begins with `~` is written `./~…`. */
function atHome(path: string, { HOME }: Readonly<Record<string, string>>): string {
  return path.startsWith("~/") && HOME !== undefined ? `${HOME}/${path.slice(2)}` : path;
}

/**
 * The file arguments of a known command that cannot be known before it runs (`cat "$f"`): rules that
 * deny files, and the tables of secrets, cannot be applied to them.
 */
function unknownFiles(command: SimpleCommand): readonly string[] {
  const unknown = command.words
    .slice(1)
    .filter((word) => word.value === undefined && !isProcessSubstitution(word) && !isRevisionWord(word));
  return unknown.flatMap((word) => {
    const words = command.words.map((other) => (other === word ? { ...other, value: PROBE, isGlob: false } : other));
    const rest = words.map((other) => (other.value === undefined ? { ...other, value: "x", isGlob: false } : other));
    const { reads, writes } = classify({ ...command, words: rest, redirects: [] });
    return [...reads, ...writes].some((path) => path.includes(PROBE.slice(2))) ? [word.source] : [];
  });
}
