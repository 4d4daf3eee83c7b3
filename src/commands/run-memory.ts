import { formatCount } from "@quoll/terminal-text/format-amount";
import { plural } from "@quoll/terminal-text/plural";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { didYouMean } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { type InstructionFile, NOTE_SCOPES, type SessionInstructions } from "../contracts/instructions.ts";
import { MEMORY_INDEX, type MemoryListing, type SessionMemory } from "../contracts/memory.ts";
import { memoryLines, noteChoices } from "./memory-notes.ts";

const MAX_NAME_COLUMNS = 44;
const ADD = /^add(?:\s+--(project|local|user))?\s+([\s\S]*\S)/;

/** Lists and changes instruction files and notes (`/memory`). */
export async function runMemory(
  argument: string,
  { instructions, memory }: CommandContext,
  signal: AbortSignal,
): Promise<CommandResult> {
  if (!instructions) throw new UserFacingError("This session reads no instruction files.");
  const wanted = argument.trim();
  if (memory && (wanted === "on" || wanted === "off"))
    return { kind: "text", lines: await memory.switchTo(wanted === "on") };
  const [, scopeName, words] = ADD.exec(wanted) ?? [];
  const scope = NOTE_SCOPES.find((one) => one === scopeName);
  if (words !== undefined && scope) return { kind: "text", lines: await instructions.add(scope, words, signal) };
  if (words !== undefined) return chooseScope(words, instructions);
  const files = await instructions.list(signal);
  const notes = await memory?.list();
  if (wanted === "") return chooseFile(files, notes);
  return (memory && notes && editNote(wanted, notes, memory)) ?? edit(wanted, files, instructions);
}

function chooseScope(words: string, instructions: SessionInstructions): CommandResult {
  const abouts = {
    project: "for everybody in this project",
    local: "for you in this project",
    user: "for you in all projects",
  };
  const targets = instructions.targets().map(({ scope, name, exists }) => ({
    scope,
    name,
    detail: `${abouts[scope]}${exists ? "" : " · a new file"}`,
  }));
  return {
    kind: "choose",
    title: `Add "${truncateText(words.replace(/\s+/g, " "), 50)}" to …`,
    choices: targets.map(({ scope, name, detail }) => ({
      label: name,
      detail,
      input: `/memory add --${scope} ${words}`,
    })),
    lines: [
      ...targets.map(({ scope, name, detail }) => `  --${scope}  ${name}  ${detail}`),
      "`/memory add --project <words>` adds a line to the project's file.",
    ],
  };
}

function chooseFile(files: readonly InstructionFile[], listing: MemoryListing | undefined): CommandResult {
  const noteText = listing ? memoryLines(listing) : [];
  const notes = listing ? noteChoices(listing) : [];
  const noteCount = listing && listing.notes.length > 0 ? ` · ${plural(listing.notes.length, "note")}` : "";
  const none = "There are no instruction files. `/init` writes an AGENTS.md for this project.";
  if (files.length + notes.length === 0) return { kind: "text", lines: [none, ...noteText] };
  const active = files.filter(({ state }) => state === "active" || state === "named");
  const tokens = active.reduce((sum, file) => sum + file.tokens, 0);
  const width = Math.min(MAX_NAME_COLUMNS, Math.max(0, ...files.map(({ name }) => name.length)));
  return {
    kind: "choose",
    title: `Instruction files: ${active.length} of ${files.length} active, about ${formatCount(tokens)} tokens${noteCount}`,
    choices: [
      ...files.map((file) => ({
        label: file.name,
        detail: about(file),
        brief: file.state,
        input: `/memory ${file.path}`,
      })),
      ...notes,
    ],
    lines: [
      `${active.length} of ${files.length} instruction files are active, about ${formatCount(tokens)} tokens.`,
      ...files.map((file) => `  ${padText(truncateText(file.name, MAX_NAME_COLUMNS), width)}  ${about(file)}`),
      ...noteText,
      "`/memory <file>` opens a file in your editor.",
    ],
  };
}

function about({ state, why, family, origin, chars, tokens }: InstructionFile): string {
  const size = chars === 0 ? "" : ` · ${count(chars)} characters`;
  const cost = tokens === 0 ? "" : `, ${formatCount(tokens)} tokens`;
  return `${state}${why === undefined ? "" : `: ${why}`} · ${origin}, ${family}${size}${cost}`;
}

function edit(wanted: string, files: readonly InstructionFile[], instructions: SessionInstructions): CommandResult {
  const file = files.find(({ path, name }) => path === wanted || name === wanted);
  if (!file) {
    const names = files.map(({ name }) => name);
    const hint = didYouMean(wanted, names, "`/memory` lists them.");
    throw new UserFacingError(`There is no instruction file ${wanted}. ${hint}`);
  }
  return {
    kind: "edit",
    file: file.path,
    lines: [`${file.path} is an ordinary file: change it with any editor.`],
    edited: async (signal) => ({ kind: "text", lines: await instructions.edited(file.path, signal) }),
  };
}

/** Undefined for a name that matches no note. */
function editNote(wanted: string, { notes, index }: MemoryListing, memory: SessionMemory): CommandResult | undefined {
  const note = notes.find(({ path, file, name }) => path === wanted || file === wanted || name === wanted);
  const isIndex = index !== undefined && (wanted === index.path || wanted === MEMORY_INDEX);
  const path = note?.path ?? (isIndex ? index.path : undefined);
  if (path === undefined) return undefined;
  return {
    kind: "edit",
    file: path,
    lines: [`${path} is an ordinary file: change it with any editor.`],
    edited: async () => ({ kind: "text", lines: await memory.edited(path) }),
  };
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
