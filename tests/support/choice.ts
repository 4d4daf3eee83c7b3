import type { ChoiceBody, ChoiceQuestion } from "../../src/contracts/question.ts";

/** A single choice with a preview, and one of several. */
export const DATABASE: ChoiceQuestion = {
  question: "Which database should the shop use?",
  header: "Database",
  options: [
    { label: "PostgreSQL (recommended)", description: "Relational, what the team knows" },
    {
      label: "SQLite",
      description: "One file, no server",
      preview: "--- a/db.ts\n+++ b/db.ts\n@@ -1 +1 @@\n-pg()\n+sqlite()",
    },
  ],
  isMultiple: false,
};
export const FEATURES: ChoiceQuestion = {
  question: "Which features come first?",
  header: "Features",
  options: ["Login", "Search", "Export"].map((label) => ({ label, description: "" })),
  isMultiple: true,
};

export const choiceOf = (...questions: readonly ChoiceQuestion[]) => ({
  id: "c",
  agentId: "main",
  parentAgentId: null,
  title: questions.map(({ header }) => header).join(", "),
  body: { kind: "choice", call: { toolUseId: "t", toolName: "AskUserQuestion" }, questions } satisfies ChoiceBody,
});
