import type { Skill } from "../../contracts/skill.ts";
import { shellQuoted } from "../../platform/shell-quoted.ts";
import { argumentFiller } from "./fill-arguments.ts";
import { skillBody } from "./read-skill.ts";
import { type TemplatePart, templateParts } from "./template-parts.ts";

/** The maximum number of files after `@` that one skill may include. */
const MAX_FILES = 20;

export type Expansion = {
  /** The file's text. */
  readonly text: string;
  /** The text after the skill's name. */
  readonly argument: string;
  /** The values of `${…}` without their prefix: `SKILL_DIR`. */
  readonly variables: Readonly<Record<string, string>>;
  /** The output of a command. @throws {Error} the command may not run, or failed to start. */
  run(command: string): Promise<string>;
  /** Reads the text of a file; undefined if there is none, or if the model may not read it without asking. */
  read(path: string): Promise<string | undefined>;
};

/** The text of a skill for the model, with its arguments, the output of its commands and its files. */
export async function expandSkill(skill: Skill, expansion: Expansion): Promise<string> {
  const { argument, variables } = expansion;
  const { format, argumentNames } = skill;
  const template = await skillBody(expansion.text, skill);
  const parts = templateParts(template, format);
  const fill = argumentFiller(template, argument, { format, argumentNames, variables });
  const inCommand =
    format === "toml" ? argumentFiller(template, shellQuoted(argument), { format, argumentNames, variables }) : fill;
  const filled: string[] = [];
  const files = new Map<string, string>();
  for (const part of parts) {
    if (part.kind === "text") filled.push(fill(part.text));
    else if (part.kind === "command") filled.push(await expansion.run(inCommand(part.command)));
    else filled.push(await fileText({ ...part, path: fill(part.path), source: fill(part.source) }, expansion, files));
  }
  const words = filled.join("");
  const isUsed = fill.hasUsed || inCommand.hasUsed;
  const added = argument === "" || isUsed ? [] : [`ARGUMENTS: ${argument}`];
  return [words, ...added, ...[...files].map(([path, text]) => fileElement(path, text))].join("\n\n");
}

/** @param files Receives the texts that follow the skill's text. */
async function fileText(
  { path, source, isInPlace }: Extract<TemplatePart, { kind: "file" }>,
  { read }: Expansion,
  files: Map<string, string>,
): Promise<string> {
  if (files.has(path) || files.size >= MAX_FILES) return source;
  const text = await read(path);
  if (text === undefined) return source;
  if (isInPlace) return text;
  files.set(path, text);
  return source;
}

function fileElement(path: string, text: string): string {
  return `<file path=${JSON.stringify(path)}>\n${text.replaceAll("</file", "<\\/file")}\n</file>`;
}
