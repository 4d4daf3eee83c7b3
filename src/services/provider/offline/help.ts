import { FORMS } from "./grammar.ts";

/** How to add a model, in one sentence. */
export const ADD_A_MODEL =
  "save a key with `quoll auth login` (`/login` in a session) or set ANTHROPIC_API_KEY, and ANTHROPIC_BASE_URL for your own server";

const JOINING =
  "Separate steps with `then`, `;` or new lines (or write a numbered list). They run in order until one fails.";

/** The answer to "what can you do". */
export function helpText(): string {
  const forms = FORMS.map(
    ({ usage, summary, examples }) =>
      `- ${usage}\n  ${summary} For example: ${(examples[0] ?? usage).replaceAll("\n", "\\n")}`,
  );
  return [
    "This is Quoll's offline engine. It is not a language model: it understands the requests below and runs them with the same tools and permissions as a model.",
    "",
    ...forms,
    "",
    JOINING,
    `For other requests, add a model: ${ADD_A_MODEL}.`,
  ].join("\n");
}
