import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentDefinition, AgentOrigin } from "../contracts/agent-definition.ts";
import type { AgentsView } from "../contracts/agents-view.ts";
import type { Choice, Command, CommandContext, CommandResult, FormField } from "../contracts/command.ts";
import { nearestNames } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";

const MAX_TEXT_COLUMNS = 200;
const PLACES = ["project", "user"] as const;
const SOURCES: Readonly<Record<AgentOrigin, string>> = {
  cli: "command line",
  project: "project",
  user: "user",
  plugin: "plugin",
  builtin: "built in",
};

/** Lists the types of agents by source, and creates, edits or deletes those of the person's own files. */
export const agentsCommand: Command = {
  name: "agents",
  summary: "List the types of agents, create one, edit or delete your own",
  argumentHint: "[name | new | edit name | delete name]",
  needsNoServers: true,
  async run(argument, context) {
    const { agents: view } = context;
    if (!view) throw new UserFacingError("This session has no agents.");
    const [first = "", name = "", sure] = argument.trim().split(/\s+/);
    if (first === "new") return newAgent(view, context);
    const { agents, shadowed, warnings } = await view.list();
    if (first === "") return listed(agents, [...shadowed.map(shadowLine), ...warnings]);
    if (name === "") return shown(find(agents, first), view);
    const agent = ownAgent(find(agents, name), view);
    if (first === "edit") return edited(agent, view);
    if (first === "write") return written(agent);
    if (first !== "delete") throw new UserFacingError(`/agents ${first} is unknown: use new, edit or delete.`);
    if (sure !== "--yes") return deletion(agent, view);
    await view.remove(agent);
    return { kind: "text", lines: [`${view.shown(agent.file)} was deleted.`] };
  },
};

function find(agents: readonly AgentDefinition[], name: string): AgentDefinition {
  const agent = agents.find((one) => one.name === name);
  if (agent) return agent;
  const [near] = nearestNames(
    name,
    agents.map((one) => one.name),
    1,
  );
  throw new UserFacingError(
    `There is no agent ${name}. ${near === undefined ? "`/agents` lists them." : `Did you mean ${near}?`}`,
  );
}

function isOwn({ origin, file }: AgentDefinition): boolean {
  return file !== "" && (origin === "user" || origin === "project");
}

function ownAgent(agent: AgentDefinition, view: AgentsView): AgentDefinition {
  if (isOwn(agent)) return agent;
  const where = agent.file === "" ? "" : ` (${view.shown(agent.file)})`;
  throw new UserFacingError(
    `${agent.name} is not one of your files: ${SOURCES[agent.origin]}${where}. An agent of the same name in your files replaces it.`,
  );
}

/** The strongest source first, as the session finds them. */
function listed(agents: readonly AgentDefinition[], notes: readonly string[]): CommandResult {
  const choices: readonly Choice[] = agents.map((agent) => ({
    label: `${agent.name}  ${oneLine(agent.description, MAX_TEXT_COLUMNS)}`,
    detail: [SOURCES[agent.origin], agent.model ?? ""].filter(Boolean).join(" · "),
    input: `/agents ${agent.name}`,
  }));
  return {
    kind: "choose",
    title: "Types of agents",
    choices,
    shortcuts: [{ letter: "n", label: "new", input: "/agents new" }],
    ...(notes.length > 0 && { before: notes }),
    lines: [...choices.map(({ label, detail }) => `  ${label}  ${detail}`), "`/agents <name>` shows one."],
  };
}

function shadowLine({ agent, by }: { readonly agent: AgentDefinition; readonly by: AgentDefinition }): string {
  return `Not used, because the name is taken: ${agent.name} (${agent.file || SOURCES[agent.origin]}); ${by.file || SOURCES[by.origin]} counts.`;
}

function shown(agent: AgentDefinition, view: AgentsView): CommandResult {
  const { name, origin, file, plugin, description, tools, disallowedTools, model } = agent;
  const lines = [
    `${name}: ${oneLine(description, MAX_TEXT_COLUMNS)}`,
    `  ${SOURCES[origin]}${plugin === undefined ? "" : ` ${plugin}`}${file === "" ? "" : ` · ${view.shown(file)}`}`,
    `  tools: ${tools ? tools.join(", ") : "all of the session"}${disallowedTools.length > 0 ? `, without ${disallowedTools.join(", ")}` : ""}`,
    `  model: ${model ?? "the session's"}`,
  ];
  if (!isOwn(agent)) return { kind: "text", lines };
  return changes(agent, lines);
}

function changes({ name }: AgentDefinition, before: readonly string[]): CommandResult {
  return {
    kind: "choose",
    title: `Agent ${name}`,
    before,
    choices: [
      { label: "Leave it so", detail: "", input: "" },
      { label: "Edit it", detail: "in your editor", input: `/agents edit ${name}` },
      { label: "Let the model write its prompt", detail: "for its description", input: `/agents write ${name}` },
      { label: "Delete it", detail: "asks first", input: `/agents delete ${name}` },
    ],
    lines: [`\`/agents edit ${name}\` opens its file, \`/agents delete ${name}\` deletes it.`],
  };
}

function edited({ name, file }: AgentDefinition, view: AgentsView): CommandResult {
  return {
    kind: "edit",
    file,
    lines: [`${file} is an ordinary file: change it with any editor.`],
    async edited() {
      const { agents, warnings } = await view.list();
      const isThere = agents.some((one) => one.name === name && one.file === file);
      const why = warnings.filter((line) => line.startsWith(`${view.shown(file)}:`));
      return { kind: "text", lines: [...why, ...(isThere ? [`${name} counts from its next start on.`] : [])] };
    },
  };
}

/** The model writes the file with its own tools, so the person sees and judges the change. */
function written({ name, file, description }: AgentDefinition): CommandResult {
  return {
    kind: "prompt",
    prompt: `Write the system prompt of the agent ${name} into ${file}: replace the text below the fields, and keep the fields as they are. The agent is for: ${description}

Look at the project where that helps. Say what the agent does, in which order it works, what it must not do and what its last message contains. The agent sees nothing of this conversation, and its caller sees nothing of its work but its last message. Use at most 40 lines.`,
  };
}

function deletion({ name, file }: AgentDefinition, view: AgentsView): CommandResult {
  return {
    kind: "choose",
    title: `Delete ${view.shown(file)}?`,
    isYesNo: true,
    choices: [
      { label: "No, keep it", detail: "", input: "" },
      { label: "Yes, delete it", detail: "", input: `/agents delete ${name} --yes` },
    ],
    lines: [`\`/agents delete ${name} --yes\` deletes ${view.shown(file)}.`],
  };
}

function newAgent(view: AgentsView, { models }: Pick<CommandContext, "models">): CommandResult {
  return {
    kind: "form",
    title: "New agent",
    fields: fields(models.list()),
    lines: ["In a terminal, `/agents new` asks for the fields. An agent is a Markdown file in .quoll/agents."],
    async submit({ name = "", description = "", tools = "", model = "", place = "" }, signal) {
      const where = PLACES.find((one) => one === (place.trim() || "project"));
      if (!where) throw new UserFacingError(`The place is ${PLACES.join(" or ")}, not ${place}.`);
      const given = { name: name.trim(), description: description.trim(), tools: tools.trim(), model: model.trim() };
      const file = await view.create({ ...given, place: where }, signal);
      const { agents } = await view.list();
      return changes(find(agents, given.name), [
        `${view.shown(file)} was written. Its text is its description so far.`,
      ]);
    },
  };
}

function fields(models: readonly string[]): readonly FormField[] {
  const beginning = (words: readonly string[]) => async (typed: string) =>
    words.filter((word) => word.startsWith(typed.trim()));
  return [
    { name: "name", label: "Name" },
    { name: "description", label: "When the model should use it" },
    { name: "tools", label: "Tools, such as Read, Grep, Bash (empty: all)", isOptional: true },
    { name: "model", label: "Model (empty: the session's)", isOptional: true, suggest: beginning(models) },
    { name: "place", label: "Place: project or user (empty: project)", isOptional: true, suggest: beginning(PLACES) },
  ];
}
