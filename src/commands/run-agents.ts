import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentDefinition, AgentOrigin, ShadowedAgent } from "../contracts/agent-definition.ts";
import type { AgentsView } from "../contracts/agents-view.ts";
import type { CommandContext } from "../contracts/command.ts";
import type { Choice, CommandResult, FormField, FormResult, PromptResult } from "../contracts/command-result.ts";
import type { ContentWarning } from "../contracts/content-folder.ts";
import { didYouMean } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { yesNo } from "./yes-no.ts";

const MAX_TEXT_COLUMNS = 200;
const PLACES = ["project", "user"] as const;
const SOURCES: Readonly<Record<AgentOrigin, string>> = {
  cli: "command line",
  project: "project",
  user: "user",
  plugin: "plugin",
  builtin: "built in",
};

/**
 * Answers `/agents`.
 * @throws {UserFacingError} there is no such agent, or the person can't change it.
 */
export async function runAgents(argument: string, context: CommandContext): Promise<CommandResult> {
  const { agents: view } = context;
  if (!view) throw new UserFacingError("This session has no agents.");
  const [first = "", name = "", sure] = argument.trim().split(/\s+/);
  if (first === "new") return newAgent(argument.trim().slice(first.length).trim(), view, context);
  const { agents, shadowed, warnings } = await view.list();
  if (first === "") return listed(agents, shadowed, warnings);
  if (name === "") return shown(find(agents, first), shadowed, view);
  const agent = ownAgent(find(agents, name), view);
  if (first === "edit") return edited(agent, view);
  if (first === "write") return written(agent);
  if (first !== "delete") throw new UserFacingError(`/agents ${first} is unknown: use new, edit or delete.`);
  if (sure !== "--yes") return deletion(agent, view);
  await view.remove(agent);
  return { kind: "text", lines: [`${view.shown(agent.file)} was deleted.`] };
}

function find(agents: readonly AgentDefinition[], name: string): AgentDefinition {
  const agent = agents.find((one) => one.name === name);
  if (agent) return agent;
  const names = agents.map((one) => one.name);
  throw new UserFacingError(`There is no agent ${name}. ${didYouMean(name, names, "`/agents` lists them.")}`);
}

function isOwn({ origin, file }: AgentDefinition): boolean {
  return file !== "" && (origin === "user" || origin === "project");
}

function ownAgent(agent: AgentDefinition, view: AgentsView): AgentDefinition {
  if (isOwn(agent)) return agent;
  const where = agent.file === "" ? "" : ` (${view.shown(agent.file)})`;
  throw new UserFacingError(
    `${agent.name} is not one of your files: ${SOURCES[agent.origin]}${where}. To replace this agent, write an agent of the same name.`,
  );
}

/** Lists the strongest source first, in the order in which the session searches them. */
function listed(
  agents: readonly AgentDefinition[],
  shadowed: readonly ShadowedAgent[],
  warnings: readonly ContentWarning[],
): CommandResult {
  const choices = [
    ...agents.map((agent) => choiceOf(agent, agent.model)),
    ...shadowed.map(({ agent }) => choiceOf(agent, "not used")),
  ];
  return {
    kind: "choose",
    title: "Types of agents",
    choices,
    shortcuts: [{ letter: "n", label: "new", input: "/agents new" }],
    ...(warnings.length > 0 && { before: linesOf(warnings) }),
    lines: [
      ...choices.map(({ label, detail, about }) => `  ${label}  ${detail}  ${about?.at(-1) ?? ""}`),
      "`/agents <name>` shows an agent.",
    ],
  };
}

function linesOf(warnings: readonly ContentWarning[]): readonly string[] {
  return warnings.map(({ line }) => line);
}

function choiceOf({ name, description, origin }: AgentDefinition, about: string | undefined): Choice {
  return {
    label: name,
    detail: oneLine(description, MAX_TEXT_COLUMNS),
    about: [oneLine(description, MAX_TEXT_COLUMNS), sourceOf(origin, about)],
    input: `/agents ${name}`,
  };
}

function sourceOf(origin: AgentDefinition["origin"], about: string | undefined): string {
  return [SOURCES[origin], about ?? ""].filter(Boolean).join(" · ");
}

function shown(agent: AgentDefinition, shadowed: readonly ShadowedAgent[], view: AgentsView): CommandResult {
  const { name, origin, file, plugin, description, tools, disallowedTools, model } = agent;
  const lines = [
    `${name}: ${oneLine(description, MAX_TEXT_COLUMNS)}`,
    `  ${SOURCES[origin]}${plugin === undefined ? "" : ` ${plugin}`}${file === "" ? "" : ` · ${view.shown(file)}`}`,
    `  tools: ${tools ? tools.join(", ") : "all of the session"}${disallowedTools.length > 0 ? `, without ${disallowedTools.join(", ")}` : ""}`,
    `  model: ${model ?? "the session's"}`,
    ...shadowed
      .filter(({ agent: other }) => other.name === name)
      .map(({ agent: other }) => `  not used, same name: ${placeOf(other, view)}`),
  ];
  if (!isOwn(agent)) return { kind: "text", lines };
  return changes(agent, lines);
}

function placeOf({ file, origin }: AgentDefinition, view: AgentsView): string {
  return file === "" ? SOURCES[origin] : view.shown(file);
}

function changes({ name }: AgentDefinition, before: readonly string[]): CommandResult {
  return {
    kind: "choose",
    title: `Agent ${name}`,
    before,
    choices: [
      { label: "Leave unchanged", detail: "", input: "" },
      { label: "Edit it", detail: "in your editor", input: `/agents edit ${name}` },
      {
        label: "Let the model write the agent's prompt",
        detail: "for its description",
        input: `/agents write ${name}`,
      },
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
      const why = linesOf(warnings.filter((warning) => warning.file === file));
      return { kind: "text", lines: [...why, ...(isThere ? [`${name} takes effect at its next start.`] : [])] };
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
  return yesNo({
    title: `Delete ${view.shown(file)}?`,
    no: { label: "No, keep it" },
    yes: { label: "Yes, delete it", input: `/agents delete ${name} --yes` },
    lines: [`\`/agents delete ${name} --yes\` deletes ${view.shown(file)}.`],
  });
}

/** @param how Empty, `fields`, `wish`, or the wish itself. */
async function newAgent(
  how: string,
  view: AgentsView,
  context: Pick<CommandContext, "models">,
): Promise<CommandResult> {
  if (how === "fields") return newFields(view, context);
  if (how === "wish") return newWish(view);
  if (how !== "") return wished(how, view);
  return {
    kind: "choose",
    title: "New agent",
    choices: [
      {
        label: "Describe it in one line",
        detail: "the model writes it, and you see the file",
        input: "/agents new wish",
      },
      { label: "Fill in its fields", detail: "name, use, tools, model, place", input: "/agents new fields" },
    ],
    lines: ["`/agents new <one line>` has the model write an agent: a Markdown file in .quoll/agents."],
  };
}

function newWish(view: AgentsView): CommandResult {
  return {
    kind: "form",
    title: "New agent",
    fields: [{ name: "wish", label: "The agent's task, in one line" }],
    lines: ["`/agents new <one line>` has the model write an agent."],
    submit: async ({ wish = "" }) => ({ ...(await wished(wish.trim(), view)), typed: `/agents new ${wish.trim()}` }),
  };
}

/** The model writes the file with its own tools, so the person sees and judges it before it counts. */
async function wished(wish: string, view: AgentsView): Promise<PromptResult> {
  return {
    kind: "prompt",
    prompt: `Define a new agent for this wish of the user: ${wish}

Write one file into ${await view.newFolder()}, named after the agent (\`NAME.md\`; letters, digits and hyphens), which must not exist yet. The file begins with fields between two lines of \`---\`: \`name\`, \`description\` (one line: when you should use the agent), and only if they matter \`tools\` (names with commas; the fewest that do) and \`model\`. Below is the agent's system prompt, 40 lines at most: what it does, in which order it works, what it must not do, what its last message contains. The agent sees nothing of this conversation, and its caller sees nothing of its work but its last message. Look at the project where that helps, write nothing else, and end with the name of the agent and when it is used.`,
  };
}

type Filled = { readonly values: Readonly<Record<string, string>>; readonly problem: string };

/** @param filled What was given before and can't be used: the fields begin with it. */
function newFields(view: AgentsView, context: Pick<CommandContext, "models">, filled?: Filled): FormResult {
  const [first, ...others] = fields(context.models.list()).map((field) => withValue(field, filled?.values[field.name]));
  return {
    kind: "form",
    title: "New agent",
    fields: first ? [{ ...first, ...(filled && { problem: filled.problem }) }, ...others] : [],
    lines: ["In a terminal, `/agents new fields` asks for the fields. An agent is a Markdown file in .quoll/agents."],
    submit: (values, signal) =>
      created(values, view, signal).catch((error: unknown) => {
        if (!(error instanceof UserFacingError)) throw error;
        return newFields(view, context, { values, problem: error.message });
      }),
  };
}

function withValue(field: FormField, value: string | undefined): FormField {
  return value === undefined || value === "" ? field : { ...field, value };
}

/** @throws {UserFacingError} a field can't be used, or nothing was written. */
async function created(
  { name = "", description = "", tools = "", model = "", place = "" }: Readonly<Record<string, string>>,
  view: AgentsView,
  signal: AbortSignal,
): Promise<CommandResult> {
  const where = PLACES.find((one) => one === (place.trim() || "project"));
  if (!where) throw new UserFacingError(`The place is ${PLACES.join(" or ")}, not ${place}.`);
  const given = { name: name.trim(), description: description.trim(), tools: tools.trim(), model: model.trim() };
  const file = await view.create({ ...given, place: where }, signal);
  const { agents } = await view.list();
  return changes(find(agents, given.name), [
    `${view.shown(file)} was written. The agent's prompt is still its description.`,
  ]);
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
