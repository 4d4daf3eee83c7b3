import { classify } from "@quoll/bash-syntax/classify";
import { stripWrappers } from "@quoll/bash-syntax/strip-wrappers";
import type { ParsedShell, Redirect, SimpleCommand } from "@quoll/bash-syntax/types";
import type { Workspace } from "../../../contracts/ports.ts";
import type { Hazard, Subject } from "../../../contracts/subject.ts";
import { hiddenFiles } from "./hidden-files.ts";
import { givenPath, pathInShell } from "./path-in-shell.ts";
import { cdTarget, folderAfter, type ShellFolder } from "./shell-folder.ts";
import { programIsTrusted } from "./trusted-program.ts";

export type ShellContext = {
  readonly workspace: Pick<Workspace, "contains">;
  /** Where the first command runs: absolute, links resolved. */
  readonly cwd: string;
  /** The environment that the commands will have. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a file's text may not be shown unasked. */
  isHidden(path: string): boolean;
};

export type JudgedShell = {
  readonly subjects: readonly Subject[];
  /** Every part only reads. */
  readonly readOnly: boolean;
  /** The shell's folder may be another afterwards. */
  readonly movesFolder: boolean;
  /** What could not be known beforehand, as written. */
  readonly unclear: readonly string[];
};

type Execute = Extract<Subject, { action: "execute" }>;
type Part = { readonly subjects: readonly Subject[]; readonly readOnly: boolean; readonly unclear: readonly string[] };

/** Writing there leaves nothing behind. */
const NOWHERE = /^\/dev\/(?:null|stdout|stderr|fd\/[12])$/;

/**
 * What a command line would touch: each simple command, the files that read-only commands read and known commands write,
 * and the files of its redirects. A source that isn't fully understood is one subject that no rule can allow.
 */
export async function judgeShell(source: string, parsed: ParsedShell, context: ShellContext): Promise<JudgedShell> {
  if (!parsed.understood)
    return {
      subjects: [opaque(source)],
      readOnly: false,
      movesFolder: true,
      unclear: [...parsed.unclear, parsed.reason],
    };
  let folder: ShellFolder = { real: context.cwd, logical: context.cwd };
  const parts: Part[] = [];
  let movesFolder = false;
  for (const command of parsed.commands) {
    parts.push(await judgeCommand(command, folder, context));
    const after = await folderAfter(command, folder);
    movesFolder ||= after !== folder;
    folder = after;
  }
  const subjects = parts.flatMap((part) => part.subjects);
  if (subjects.length === 0) return { subjects: [opaque(source)], readOnly: false, movesFolder, unclear: [] };
  return {
    subjects,
    readOnly: parts.every((part) => part.readOnly),
    movesFolder,
    unclear: parts.flatMap((part) => part.unclear),
  };
}

function opaque(source: string): Execute {
  return { action: "execute", command: source, assignments: [], understood: false, readOnly: false, hazards: [] };
}

async function judgeCommand(command: SimpleCommand, folder: ShellFolder, context: ShellContext): Promise<Part> {
  const redirects = await judgeRedirects(command.redirects, folder);
  if (command.words.length === 0 && command.assignments.length === 0) return redirects;
  const operands = await judgeOperands(command, folder, context);
  const understood = redirects.unclear.length === 0 && operands.unclear.length === 0;
  const inner = stripWrappers(command);
  const isBare = command.words.length === 0;
  const subject: Execute = {
    action: "execute",
    command: isBare ? command.assignments.map(({ source }) => source).join(" ") : command.source,
    ...(inner && { alternatives: [inner.source] }),
    assignments: (inner ?? command).assignments.map(({ source }) => source),
    understood,
    readOnly: operands.readOnly,
    hazards: operands.hazards,
  };
  return {
    subjects: [subject, ...operands.subjects, ...redirects.subjects],
    readOnly: operands.readOnly && redirects.readOnly,
    unclear: [...operands.unclear, ...redirects.unclear],
  };
}

async function judgeOperands(
  command: SimpleCommand,
  folder: ShellFolder,
  context: ShellContext,
): Promise<Part & { readonly hazards: readonly Hazard[] }> {
  // Files of redirects are subjects of their own.
  const { readOnly, reads, writes, hazards } = classify({ ...command, redirects: [] });
  const isBare = command.words.length === 0;
  const target = cdTarget(command);
  const readPaths = target === undefined ? reads : [target];
  const read = await Promise.all(readPaths.map((path) => pathSubject("read", path, folder, true)));
  const written = await Promise.all(writes.map((path) => pathSubject("write", path, folder, true)));
  const isKnown = readOnly
    ? read.every((subject) => subject !== undefined) &&
      (folder !== undefined || reads.every((path) => path.startsWith("/")))
    : false;
  const isSure = isBare
    ? command.assignments.every(({ name }) => !Object.hasOwn(context.env, name))
    : isKnown && (await programIsTrusted(command, stripWrappers(command), { ...context, cwd: folder?.real }));
  const hidden = readOnly && folder ? await hiddenSubjects(command, folder.real, read, context) : [];
  return {
    subjects: [...read, ...(hidden ?? []), ...written].filter((subject) => subject !== undefined),
    readOnly: hidden === undefined ? false : isBare ? isSure : readOnly && isSure,
    unclear: written.some((subject) => subject === undefined) ? [`${command.source} (in which folder?)`] : [],
    hazards: hazards.map(({ kind, text }) => ({ kind, text, paths: [], folder: folder?.real })),
  };
}

/** @returns undefined when nobody can say what it would show. */
async function hiddenSubjects(
  command: SimpleCommand,
  cwd: string,
  read: readonly (Subject | undefined)[],
  { isHidden }: ShellContext,
): Promise<readonly Subject[] | undefined> {
  const reads = read.flatMap((subject) => (subject?.action === "read" ? [subject.path] : []));
  const paths = await hiddenFiles({ command: stripWrappers(command) ?? command, cwd, reads, isHidden });
  return paths?.map((path) => ({ action: "read", path, byCommand: true }));
}

async function judgeRedirects(redirects: readonly Redirect[], folder: ShellFolder): Promise<Part> {
  const subjects: Subject[] = [];
  const unclear: string[] = [];
  let readOnly = true;
  for (const { direction, target, source } of redirects) {
    if (direction === "duplicate" || direction === "inline") continue;
    const { value } = target;
    if (direction === "write" && value !== undefined && NOWHERE.test(value)) continue;
    const subject = value === undefined ? undefined : await pathSubject(direction, value, folder);
    if (subject) subjects.push(subject);
    else unclear.push(source);
    if (direction === "write" || subject === undefined) readOnly = false;
  }
  return { subjects, readOnly, unclear };
}

/** @returns undefined when it can't be known which file that is. */
async function pathSubject(
  action: "read" | "write",
  text: string,
  folder: ShellFolder,
  byCommand = false,
): Promise<Subject | undefined> {
  if (text === "" || text.includes("\0")) return undefined;
  if (folder === undefined && !text.startsWith("/")) return undefined;
  const cwd = folder ?? { real: "/", logical: "/" };
  const path = await pathInShell(text, cwd.real);
  if (path === undefined) return undefined;
  const given = givenPath(text, cwd.logical);
  return { action, path, ...(given !== path && { given }), ...(byCommand && { byCommand }) };
}
