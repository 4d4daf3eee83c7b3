import { type Message, textOf } from "../../contracts/message.ts";
import { SKILL_LIST_TAG, SKILL_TAG, SKILL_TOOL, type Skill } from "../../contracts/skill.ts";

/** Characters of an entry of the list. */
const MAX_ENTRY_CHARS = 250;
const INTRODUCTION =
  "Skills hold instructions for kinds of tasks; the tool Skill loads one by its name. They may come from the project's files.";
const MORE = "More skills exist; the user can name them.";
const GONE = "No longer there:";
const LIST = new RegExp(`<${SKILL_LIST_TAG}>\n([\\s\\S]*?)\n</${SKILL_LIST_TAG}>`, "g");
const ELEMENT = new RegExp(`<${SKILL_TAG} name="([^"\n]*)"[^>\n]*>\n[\\s\\S]*?\n</${SKILL_TAG}>`, "g");

/**
 * The list of skills in a message: names with descriptions as long as they fit, then only names.
 * @param skills The skills, most important first.
 * @param maxChars The limit of the whole list.
 */
export function skillList(skills: readonly Skill[], maxChars: number): string {
  if (skills.length === 0) return "";
  const lines = skills.map(entryLine);
  let left = maxChars - skills.reduce((sum, { name }) => sum + name.length + 3, 0);
  const shown = lines.map((line, at) => {
    const name = `- ${skills[at]?.name ?? ""}`;
    const extra = line.length - name.length;
    if (left >= extra) {
      left -= extra;
      return line;
    }
    return name;
  });
  // The names alone may also be too long.
  while (shown.length > 1 && shown.join("\n").length > maxChars) shown.pop();
  const rest = shown.length < skills.length ? [MORE] : [];
  return element([INTRODUCTION, ...shown, ...rest]);
}

/** A note about skills that were added and removed; empty if there are none. */
export function skillNews(added: readonly Skill[], gone: readonly string[]): string {
  const lines = [
    ...(added.length > 0 ? ["New skills:", ...added.map(entryLine)] : []),
    ...(gone.length > 0 ? [`${GONE} ${gone.join(", ")}`] : []),
  ];
  return lines.length === 0 ? "" : element(lines);
}

/** The names in the lists of a conversation. */
export function listedSkills(messages: readonly Message[]): ReadonlySet<string> | "incomplete" {
  const names = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    for (const [, list = ""] of textOf(content).matchAll(LIST)) {
      if (list.includes(MORE)) return "incomplete";
      for (const line of list.split("\n")) {
        const name = /^- ([^\s:]+(?::[^\s:]+)*)(?::\s|$)/.exec(line)?.[1];
        if (name !== undefined) names.add(name);
        if (line.startsWith(GONE)) for (const one of line.slice(GONE.length).split(",")) names.delete(one.trim());
      }
    }
  }
  return names;
}

/** The text of a skill in a message. */
export function skillElement({ name, folder }: Pick<Skill, "name" | "folder">, text: string): string {
  const place = folder === "" ? "" : ` folder=${JSON.stringify(folder)}`;
  return `<${SKILL_TAG} name="${name}"${place}>\n${text.trim().replaceAll(`</${SKILL_TAG}`, `<\\/${SKILL_TAG}`)}\n</${SKILL_TAG}>`;
}

/** The texts of skills in a conversation, by name, only the newest of each; in the order of their first use. */
export function skillsInUse(messages: readonly Message[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  // A file that the model read can contain such an element too.
  const loads = new Set<string>();
  for (const { role, content } of messages) {
    for (const block of content) {
      if (block.type === "tool_use" && block.name === SKILL_TOOL) loads.add(block.id);
      if (role !== "user") continue;
      const isLoad = block.type === "tool_result" && loads.has(block.toolUseId);
      const text = block.type === "text" ? block.text : isLoad ? textOf(block.content) : "";
      for (const [found, name = ""] of text.matchAll(ELEMENT)) texts.set(name, found);
    }
  }
  return texts;
}

function entryLine({ name, description, whenToUse }: Skill): string {
  const about = [description, whenToUse].filter((part) => part !== undefined && part !== "").join(" ");
  const line = `- ${name}: ${about.replaceAll(`</${SKILL_LIST_TAG}`, `<\\/${SKILL_LIST_TAG}`)}`;
  return line.length <= MAX_ENTRY_CHARS ? line : `${line.slice(0, MAX_ENTRY_CHARS - 1).toWellFormed()}…`;
}

function element(lines: readonly string[]): string {
  return `<${SKILL_LIST_TAG}>\n${lines.join("\n")}\n</${SKILL_LIST_TAG}>`;
}
