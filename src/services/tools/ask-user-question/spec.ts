import { declareTool } from "../../../contracts/tool.ts";
import inputSchemas from "../input-schemas.json" with { type: "json" };
import description from "./ask-user-question.md" with { type: "text" };

export const askUserQuestionSpec = declareTool({
  name: "AskUserQuestion",
  summary: "Ask the user to choose between options",
  description,
  level: "none",
  inputSchema: inputSchemas.AskUserQuestion,
});
