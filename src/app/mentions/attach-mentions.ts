import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { AGENT_TOOL } from "../../contracts/agent-definition.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { fileMentions } from "../../contracts/file-mention.ts";
import type { UserBlock } from "../../contracts/message.ts";
import { attachFile } from "./attach-file.ts";
import { attachFolder } from "./attach-folder.ts";
import type { Attached, MentionParts } from "./mention-parts.ts";
import { type MentionedFile, mentionedFile } from "./mentioned-file.ts";

/** The maximum number of files, folders and agents that one prompt attaches. */
const MAX_MENTIONS = 20;
const MAX_NAME_COLUMNS = 200;
const AGENT_MENTION = "agent-";

/**
 * Attaches the files and folders that a prompt names with `@`, in the form and under the rules of Read, and a note for
 * each named agent type. A word that names no file stays plain text. The person sees one line about what was
 * attached, and one line for each name that was not.
 */
export async function attachMentions(
  words: string,
  parts: MentionParts,
  signal: AbortSignal,
): Promise<readonly UserBlock[]> {
  const blocks: UserBlock[] = [];
  const attached: string[] = [];
  const named = new Set<string>();
  const { own, project } = parts.place;
  const where = { cwd: parts.main.workspace.cwd, startedIn: project.cwd, home: own.home };
  for (const mention of fileMentions(words)) {
    const agent = agentNamed(mention.paths, parts);
    const file = agent === undefined ? await mentionedFile(mention, where) : undefined;
    const key = file ? `${file.target.path}#${file.lines?.first}-${file.lines?.last} ${file.pages}` : agent;
    if (key === undefined || named.has(key)) continue;
    named.add(key);
    if (named.size > MAX_MENTIONS) continue;
    if (agent !== undefined) blocks.push(agentNote(agent));
    if (!file) continue;
    const done = await attach(file, parts, signal);
    const shown = oneLine(file.shown, MAX_NAME_COLUMNS);
    blocks.push(...done.blocks);
    if ("size" in done) attached.push(`${shown} (${done.size})`);
    else parts.tell(`${shown} was not attached: ${done.problem}`);
  }
  if (attached.length > 0) parts.tell(`Attached ${attached.join(", ")}.`, "info");
  const rest = named.size - MAX_MENTIONS;
  if (rest > 0) {
    const line = `A prompt attaches at most ${MAX_MENTIONS} files: the other ${plural(rest, "file")} did not fit.`;
    parts.tell(line);
    blocks.push({ type: "text", text: line });
  }
  return blocks;
}

async function attach(file: MentionedFile, parts: MentionParts, signal: AbortSignal): Promise<Attached> {
  try {
    return await (file.isFolder ? attachFolder(file, parts, signal) : attachFile(file, parts, signal));
  } catch (error) {
    const problem = errorMessage(error);
    return { blocks: [{ type: "text", text: `${file.shown} was not attached: ${problem}` }], problem };
  }
}

/** The type of agent that a mention names: `@agent-Explore`. */
function agentNamed(paths: readonly string[], { delegation, main }: MentionParts): string | undefined {
  if (!main.registry.names.includes(AGENT_TOOL)) return undefined;
  const names = paths.flatMap((path) => (path.startsWith(AGENT_MENTION) ? [path.slice(AGENT_MENTION.length)] : []));
  return delegation.types.all.find(({ name }) => names.includes(name))?.name;
}

function agentNote(name: string): UserBlock {
  return {
    type: "text",
    text: `With @${AGENT_MENTION}${name} the user asks for an agent of the type ${name}: give it the task with ${AGENT_TOOL}.`,
  };
}
