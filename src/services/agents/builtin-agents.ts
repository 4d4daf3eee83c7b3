import { type AgentDefinition, USUAL_AGENT } from "../../contracts/agent-definition.ts";
import { WEB_FETCH, WEB_SEARCH } from "../../contracts/web.ts";
import explore from "./builtin/explore.md" with { type: "text" };
import fork from "./builtin/fork.md" with { type: "text" };
import general from "./builtin/general-purpose.md" with { type: "text" };
import guide from "./builtin/guide.md" with { type: "text" };
import plan from "./builtin/plan.md" with { type: "text" };
import statuslineSetup from "./builtin/statusline-setup.md" with { type: "text" };
import verification from "./builtin/verification.md" with { type: "text" };

const SEARCHING = ["Read", "Glob", "Grep"];
const SETTING_UP = ["Read", "Edit", "Write"];
const READING = [...SEARCHING, WEB_FETCH, WEB_SEARCH];

/** The types that come with Quoll. */
export const BUILTIN_AGENTS: readonly AgentDefinition[] = [
  builtin("Explore", "Searches and reads, changes nothing", explore, READING),
  builtin("Plan", "Plans a change from the code, changes nothing", plan, [...READING, "TodoWrite"]),
  builtin("Verification", "Checks finished work with commands, edits nothing", verification, [
    ...READING,
    ...["Bash", "TaskOutput", "TaskStop"],
  ]),
  builtin(USUAL_AGENT, "Does a whole task with all tools", general),
  { ...builtin("fork", "A copy of this conversation that does a task aside", fork), isFork: true },
  { ...builtin("guide", "Answers questions about Quoll from its documentation", guide, READING), isGuide: true },
  {
    ...builtin("statusline-setup", "Sets up the status line for /statusline", statuslineSetup, SETTING_UP),
    isGuide: true,
    // The guide's files are outside the project.
    disallowedTools: ["Edit(/**)"],
  },
];

/** Names that other programs use for these types, in lower case. */
export const AGENT_ALIASES: Readonly<Record<string, string>> = {
  explorer: "Explore",
  search: "Explore",
  planner: "Plan",
  architect: "Plan",
  verify: "Verification",
  verifier: "Verification",
  general: USUAL_AGENT,
  general_purpose: USUAL_AGENT,
  default: USUAL_AGENT,
  help: "guide",
};

function builtin(name: string, description: string, prompt: string, tools?: readonly string[]): AgentDefinition {
  const about = { name, origin: "builtin", file: "", description, prompt: prompt.trim() } as const;
  return { ...about, ...(tools && { tools }), disallowedTools: [] };
}
