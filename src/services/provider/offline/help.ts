import { FORMS } from "./grammar.ts";

/** How a model is added, in one sentence. */
export const ADD_A_MODEL =
  "save a key with `quoll auth login` (`/login` in a session) or set ANTHROPIC_API_KEY, and ANTHROPIC_BASE_URL for a server of your own";

const JOINING =
  "Steps are joined by `then`, `;` or new lines (a numbered list, if you like), and run in order until one fails.";

/** The answer to "what can you do". */
export function helpText(): string {
  const forms = FORMS.map(
    ({ usage, summary, examples }) => `- ${usage}\n  ${summary} For example: ${oneLine(examples[0] ?? usage)}`,
  );
  return [
    "This is Quoll's offline engine. It is not a language model: it understands the requests below and carries them out with the same tools and permissions as a model would.",
    "",
    ...forms,
    "",
    JOINING,
    `To ask freely, add a model: ${ADD_A_MODEL}.`,
  ].join("\n");
}

function oneLine(example: string): string {
  return example.replaceAll("\n", "\\n");
}
