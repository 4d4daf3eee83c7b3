/**
 * The model of the `agents` bench in a process of its own, so that its work doesn't delay the keys of the measuring
 * process. Arguments: agents, rounds of an agent, milliseconds before each answer of an agent, agents of a call, milliseconds before
 * the first answer. Without agents, the conversation reads a file in its only round.
 * Prints lines of JSON: its address; true when the last agent was answered; the requests when stdin ends.
 */
import { reply, type ScenarioRequest, text, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { SMALL_FILES, smallFile } from "./bench-place.ts";

/** One request: of which agent (0: the conversation), the round, and its times in milliseconds. */
export type AgentRequest = {
  readonly agent: number;
  readonly round: number;
  readonly receivedAtMs: number;
  readonly endedAtMs: number;
};

type Body = { readonly messages: readonly { readonly role: string; readonly content: unknown }[] };

const [agents = 0, rounds = 0, answerMs = 0, together = 1, firstAnswerMs = 0] = process.argv.slice(2).map(Number);
const seen: { agent: number; round: number }[] = [];

let answered = 0;
let isOver = false;

function over(): void {
  isOver = true;
  console.log("true");
}

function partOf(first: unknown): number {
  return Number(/Read part (\d+) of the notes/.exec(JSON.stringify(first))?.[1] ?? 0);
}

function startOf(agent: number) {
  return toolUse("Agent", {
    description: `part ${agent}`,
    prompt: `Read part ${agent} of the notes.`,
    subagent_type: "Explore",
    ...(together > 1 && { run_in_background: true }),
  });
}

async function answer({ body }: ScenarioRequest) {
  const { messages } = body as Body;
  const agent = partOf(messages[0]?.content);
  const round = messages.filter(({ role }) => role === "assistant").length;
  seen.push({ agent, round });
  if (agent === 0) {
    if (round === 0) await Bun.sleep(firstAnswerMs);
    if (agents === 0 && round === 0) return reply([toolUse("Read", { file_path: smallFile(1) })]);
    if (agents === 0) over();
    const from = round * together + 1;
    const starts = Array.from({ length: together }, (_, at) => from + at).filter((one) => one <= agents);
    return starts.length > 0 ? reply(starts.map(startOf)) : reply("All parts are read.");
  }
  if (answerMs > 0) await Bun.sleep(answerMs * (0.5 + ((agent * 7 + round * 13) % 100) / 100));
  if (round === rounds - 1) answered += 1;
  if (answered === agents && !isOver) over();
  if (round >= rounds - 1) return reply("This part is read.");
  const path = smallFile(((agent + round * 3) % SMALL_FILES) + 1);
  return reply([text("On."), toolUse("Read", { file_path: path })]);
}

await using twin = await startTwin({ keptBodies: 1, scenario: answer });
console.log(JSON.stringify({ url: twin.url }));
await Bun.stdin.text();
const requests = twin.requests.map(({ receivedAtMs, endedAtMs }, at) => ({ ...seen[at], receivedAtMs, endedAtMs }));
console.log(JSON.stringify(requests));
