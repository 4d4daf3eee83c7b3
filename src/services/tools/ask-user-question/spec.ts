import { type DeclaredTool, declareTool, type JsonSchema } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./ask-user-question.md" with { type: "text" };
import htmlPreviews from "./html-previews.md" with { type: "text" };
import textPreviews from "./text-previews.md" with { type: "text" };

/** The form of the previews of options: text for a terminal; HTML or none for a program. */
export type PreviewFormat = "text" | "html" | "none";

export const askUserQuestionSpec = specWith(textPreviews);

/** The declaration for the previews that the person's screen or program can show. */
export function specForPreviews(format: PreviewFormat): DeclaredTool {
  if (format === "text") return askUserQuestionSpec;
  return format === "html" ? specWith(htmlPreviews) : specWith("", withoutPreviews());
}

function specWith(previews: string, inputSchema: JsonSchema = inputSchemas.AskUserQuestion): DeclaredTool {
  return declareTool({
    name: "AskUserQuestion",
    summary: "Ask the user to choose between options",
    description: `${description.trim()} ${previews}`.trim(),
    level: "none",
    inputSchema,
  });
}

function withoutPreviews(): JsonSchema {
  const json = JSON.stringify(inputSchemas.AskUserQuestion);
  return JSON.parse(json, (key, value: unknown) => (key === "preview" ? undefined : value));
}
