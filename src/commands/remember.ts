import type { Command, CommandResult } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { NOTE_TYPES, type SessionMemory } from "../contracts/memory.ts";

const TYPED = /^--(\w+)(?:\s+([\s\S]*))?$/;

const PROPOSAL = /^--proposal\s+(\d{1,3})$/;

/** Writes a note into the project's memory, without words one that was proposed. No model is asked. */
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
    const type = NOTE_TYPES.find((one) => one === name);
    const lines = await memory.remember(type ?? "project", type ? rest : text);
    return { kind: "text", lines };
  },
};

function chooseProposal(proposals: ReturnType<SessionMemory["proposals"]>): CommandResult {
  return {
    kind: "choose",
    title: "Save which proposed note?",
    choices: proposals.map(({ description, type }, at) => ({
      ...{ label: description, detail: type, input: `/remember --proposal ${at + 1}` },
    })),
    lines: proposals.map(({ description, type }, at) => `  /remember --proposal ${at + 1}  ${type}: ${description}`),
  };
}
