import { oneLine } from "@quoll/terminal-text/one-line";
import type { Command } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { NOTE_TYPES, type SessionMemory } from "../contracts/memory.ts";

const TYPED = /^--(\S*)(?:\s+([\s\S]*))?$/;
const MAX_TYPE_COLUMNS = 40;
const PROPOSAL = /^--proposal\s+(\d{1,3})$/;

/** Writes a note into the project's memory; without words, writes the note that was proposed. No model is asked. */
export const rememberCommand: Command = {
  name: "remember",
  summary: "Write a note into the project's memory",
  argumentHint: "[--user | --feedback | --project | --reference] <text>",
  async run(argument, { memory }) {
    if (!memory) throw new UserFacingError("This session has no memory.");
    const text = argument.trim();
    const number = PROPOSAL.exec(text)?.[1];
    if (number !== undefined) return { kind: "text", lines: await memory.takeProposal(Number(number)) };
    const proposals = memory.proposals();
    if (text === "" && proposals.length > 0) return chooseProposal(proposals);
    const [, name, rest = ""] = TYPED.exec(text) ?? [];
    if (name === undefined) return { kind: "text", lines: await memory.remember("project", text) };
    const type = NOTE_TYPES.find((one) => one === name);
    if (type === undefined) throw new UserFacingError(unknownType(name));
    return { kind: "text", lines: await memory.remember(type, rest) };
  },
};

function unknownType(name: string): string {
  const types = NOTE_TYPES.map((type) => `--${type}`).join(", ");
  return `There is no note type --${oneLine(name, MAX_TYPE_COLUMNS)}: the types are ${types}. A text that begins with -- follows its type: \`/remember --project --text\`.`;
}

function chooseProposal(proposals: ReturnType<SessionMemory["proposals"]>): CommandResult {
  return {
    kind: "choose",
    title: "Save which proposed note?",
    choices: proposals.map(({ description, type }, at) => ({
      label: description,
      detail: type,
      input: `/remember --proposal ${at + 1}`,
    })),
    lines: proposals.map(({ description, type }, at) => `  /remember --proposal ${at + 1}  ${type}: ${description}`),
  };
}
