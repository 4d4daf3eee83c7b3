import type { SessionConfig } from "../../contracts/session-config.ts";
import {
  languageSection,
  promptSections,
  type SentSection,
  styleSection,
} from "../../services/context/system-prompt.ts";
import type { PromptAdditions } from "../session/session-prompt.ts";

/** The parts of the system prompt other than the tools. */
export type PromptSource = {
  readonly config: Pick<SessionConfig, "systemPrompt" | "isBare">;
  readonly additions: PromptAdditions;
};

/**
 * The system prompt of a session, in the order of docs/guide/prompt.md: Quoll's sections or the text that replaces
 * them, then the output style, the language, and the appended text.
 */
export function systemSections(
  { config: { systemPrompt: given, isBare }, additions: { style, language } }: PromptSource,
  tools: readonly string[],
): readonly SentSection[] {
  const { replace, append } = given ?? {};
  const own =
    replace === undefined
      ? promptSections({ tools, instructions: !isBare, coding: style?.keepsCoding !== false })
      : [{ name: "replaced", text: replace }];
  return [
    ...own,
    ...(style ? [styleSection(style)] : []),
    ...(language === undefined ? [] : [languageSection(language)]),
    ...(append === undefined ? [] : [{ name: "appended", text: append }]),
  ];
}
