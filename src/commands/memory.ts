import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import type { Command, CommandResult } from "../contracts/command.ts";
import { nearestNames } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { type InstructionFile, NOTE_SCOPES, type SessionInstructions } from "../contracts/instructions.ts";

const MAX_NAME_COLUMNS = 44;
const ADD = /^add(?:\s+--(project|local|user))?\s+([\s\S]*\S)/;

/** Without a file: lists the instruction files. With one: opens it in the editor. `add`: adds a line to one. */
export const memoryCommand: Command = {
  name: "memory",
  summary: "List the instruction files, edit one, or add a line to one",
  argumentHint: "[file | add words]",
  async run(argument, { instructions }, signal) {
    if (!instructions) throw new UserFacingError("This session reads no instruction files.");
    const wanted = argument.trim();
    const [, scopeName, words] = ADD.exec(wanted) ?? [];
    const scope = NOTE_SCOPES.find((one) => one === scopeName);
    if (words !== undefined && scope) return { kind: "text", lines: await instructions.add(scope, words, signal) };
    if (words !== undefined) return chooseScope(words, instructions);
    const files = await instructions.list(signal);
    return wanted === "" ? chooseFile(files) : edit(wanted, files, instructions);
  },
};

function chooseScope(words: string, instructions: SessionInstructions): CommandResult {
  const abouts = {
    project: "for everybody in this project",
    local: "for you in this project",
    user: "for you in all projects",
  };
  const targets = instructions.targets().map(({ scope, name, exists }) => ({
    ...{ scope, name, detail: `${abouts[scope]}${exists ? "" : " · a new file"}` },
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

function chooseFile(files: readonly InstructionFile[]): CommandResult {
  if (files.length === 0)
    return { kind: "text", lines: ["There are no instruction files. `/init` writes an AGENTS.md for this project."] };
  const inForce = files.filter(({ state }) => state === "in force" || state === "named");
  const tokens = inForce.reduce((sum, file) => sum + file.tokens, 0);
  const width = Math.min(MAX_NAME_COLUMNS, Math.max(...files.map(({ name }) => name.length)));
  return {
    kind: "choose",
    title: `Instruction files: ${inForce.length} of ${files.length} in force, about ${count(tokens)} tokens`,
    choices: files.map((file) => ({
      label: file.name,
      detail: about(file),
      brief: file.state,
      input: `/memory ${file.path}`,
    })),
    lines: [
      `${inForce.length} of ${files.length} instruction files are in force, about ${count(tokens)} tokens.`,
      ...files.map((file) => `  ${padText(truncateText(file.name, MAX_NAME_COLUMNS), width)}  ${about(file)}`),
      "`/memory <file>` opens one in your editor.",
    ],
  };
}

function about({ state, why, family, origin, chars, tokens }: InstructionFile): string {
  const size = chars === 0 ? "" : ` · ${count(chars)} characters`;
  const cost = tokens === 0 ? "" : `, ${count(tokens)} tokens`;
  return `${state}${why === undefined ? "" : `: ${why}`} · ${origin}, ${family}${size}${cost}`;
}

function edit(wanted: string, files: readonly InstructionFile[], instructions: SessionInstructions): CommandResult {
  const file = files.find(({ path, name }) => path === wanted || name === wanted);
  if (!file) {
    const [near] = nearestNames(
      wanted,
      files.map(({ name }) => name),
      1,
    );
    throw new UserFacingError(
      `There is no instruction file ${wanted}. ${near === undefined ? "`/memory` lists them." : `Did you mean ${near}?`}`,
    );
  }
  return {
    kind: "edit",
    file: file.path,
    lines: [`${file.path} is an ordinary file: change it with any editor.`],
    edited: async (signal) => ({ kind: "text", lines: await instructions.edited(file.path, signal) }),
  };
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
