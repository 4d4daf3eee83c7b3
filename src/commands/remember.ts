import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { NOTE_TYPES } from "../contracts/memory.ts";

const TYPED = /^--(\w+)(?:\s+([\s\S]*))?$/;

/** Writes a note into the project's memory. No model is asked. */
export const rememberCommand: Command = {
  name: "remember",
  summary: "Write a note into the project's memory",
  argumentHint: "[--user | --feedback | --project | --reference] <text>",
  async run(argument, { memory }) {
    if (!memory) throw new UserFacingError("This session has no memory.");
    const text = argument.trim();
    const [, name, rest = ""] = TYPED.exec(text) ?? [];
    const type = NOTE_TYPES.find((one) => one === name);
    const lines = await memory.remember(type ?? "project", type ? rest : text);
    return { kind: "text", lines };
  },
};
