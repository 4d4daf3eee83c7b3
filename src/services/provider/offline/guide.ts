import type { Form } from "./form.ts";
import { FORMS } from "./grammar.ts";

export const GUIDE_START = "<!-- forms: generated from src/services/provider/offline/grammar.ts -->";
export const GUIDE_END = "<!-- end of forms -->";

/** The part of docs/guide/offline.md that is made from the table of forms, markers included: Markdown. */
export function formsGuide(): string {
  return [GUIDE_START, ...FORMS.map(section), GUIDE_END].join("\n\n");
}

/** Examples stand in blocks of the language `request`, parted by empty lines: a test parses each. */
function section({ name, usage, summary, examples, verbs }: Form): string {
  const others = verbs.filter((verb) => /^[a-z]/.test(verb)).map((verb) => `\`${verb}\``);
  return [
    `### ${name}`,
    `\`${usage}\``,
    `${summary} It may begin with ${others.join(", ")}.`,
    `\`\`\`request\n${examples.join("\n\n")}\n\`\`\``,
  ].join("\n\n");
}
