import { promptText } from "../../contracts/prompt-text.ts";
import commands from "./prompt/commands.md" with { type: "text" };
import work from "./prompt/how-to-work.md" with { type: "text" };
import introduction from "./prompt/introduction.md" with { type: "text" };
import permissions from "./prompt/permissions.md" with { type: "text" };
import report from "./prompt/report.md" with { type: "text" };

export type PromptSection = {
  readonly name: string;
  /** Tools or settings without which the section is omitted. */
  readonly needs: readonly string[];
  /** The text with conditions, in the syntax of `promptText`. */
  readonly text: string;
};

/** The section that an output style can leave out. */
const CODING = "how to work";

/**
 * The system prompt in its order. The prompt is the same for a whole session: changing facts go into messages, or
 * the cache is lost.
 */
export const PROMPT_SECTIONS: readonly PromptSection[] = [
  { name: "introduction", needs: [], text: introduction },
  { name: CODING, needs: [], text: work },
  { name: "permissions", needs: [], text: permissions },
  { name: "commands", needs: ["Bash"], text: commands },
  { name: "report", needs: [], text: report },
];

export type PromptParts = {
  /** Names of the built-in tools that the model has. */
  readonly tools: readonly string[];
  /** True if instruction files of the project are read. */
  readonly instructions: boolean;
  /** False if the instructions about coding are omitted. Default true. */
  readonly coding?: boolean;
};

/** A section in the form that is sent to the model. */
export type SentSection = Pick<PromptSection, "name" | "text">;

/** The sections of the system prompt that fit the given tools and settings, in order. */
export function promptSections({ tools, instructions, coding = true }: PromptParts): readonly SentSection[] {
  const there = new Set([...tools, ...(instructions ? ["instructions"] : [])]);
  const isThere = (name: string) => there.has(name);
  return PROMPT_SECTIONS.filter(({ name, needs }) => needs.every(isThere) && (coding || name !== CODING)).map(
    ({ name, text }) => ({ name, text: promptText(text, isThere).trim() }),
  );
}

/** An output style follows the sections, so that the sections are the same with every style, and stay cached. */
export function styleSection({ name, text }: { readonly name: string; readonly text: string }): SentSection {
  return {
    name: `output style ${name}`,
    text: `# Output style: ${name}\n\nThis overrides the above where they differ.\n\n${text}`,
  };
}

export function languageSection(language: string): SentSection {
  const text = `# Language\n\nWrite to the user in ${language}. Code, commands, paths and quoted output stay as they are.`;
  return { name: "language", text };
}

/** The same as one text. */
export function systemPrompt(parts: PromptParts): string {
  return joinSections(promptSections(parts));
}

/** Sections as the system prompt that is sent. */
export function joinSections(sections: readonly SentSection[]): string {
  return sections.map(({ text }) => text).join("\n\n");
}
