import type { Skill } from "../../contracts/skill.ts";
import { skillBody } from "./read-skill.ts";
import { templateParts } from "./template-parts.ts";

/** The commands that run when a skill starts, before their placeholders are filled in. @param text The skill's file. */
export async function inlineCommands(text: string, skill: Pick<Skill, "format">): Promise<readonly string[]> {
  if (!text.includes("!")) return [];
  const parts = templateParts(await skillBody(text, skill), skill.format);
  return parts.flatMap((part) => (part.kind === "command" ? [part.command] : []));
}
