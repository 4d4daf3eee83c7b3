import type { Form } from "../../src/services/provider/offline/form.ts";
import { FORMS } from "../../src/services/provider/offline/grammar.ts";

export const GUIDE_START = "<!-- forms: generated from src/services/provider/offline/grammar.ts -->";
export const GUIDE_END = "<!-- end of forms -->";

/** The generated part of docs/guide/offline.md as Markdown, markers included. */
export function formsGuide(): string {
  return [GUIDE_START, ...FORMS.map(section), GUIDE_END].join("\n\n");
}

/** Examples are blocks of the language `request`, separated by empty lines. A test parses each example. */
function section({ name, usage, summary, examples, verbs }: Form): string {
  const others = verbs.filter((verb) => /^[a-z]/.test(verb)).map((verb) => `\`${verb}\``);
  return [
    `### ${name}`,
    `\`${usage}\``,
    `${summary} First words: ${others.join(", ")}.`,
    `\`\`\`request\n${examples.join("\n\n")}\n\`\`\``,
  ].join("\n\n");
}
