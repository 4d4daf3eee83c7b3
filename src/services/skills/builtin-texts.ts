import commit from "./builtin/commit.md" with { type: "text" };
import explainFailure from "./builtin/explain-failure.md" with { type: "text" };
import makeSkill from "./builtin/make-skill.md" with { type: "text" };
import review from "./builtin/review.md" with { type: "text" };
import writeTests from "./builtin/write-tests.md" with { type: "text" };

/** The texts of the built-in skills, by name. */
export const BUILTIN_TEXTS: Readonly<Record<string, string>> = {
  commit,
  "explain-failure": explainFailure,
  "make-skill": makeSkill,
  review,
  "write-tests": writeTests,
};
