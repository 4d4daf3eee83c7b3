import { expect } from "bun:test";
import { type JsonObject, reply, type ScenarioRequest, toolUse } from "@quoll/model-twin/scenario";
import type { Session } from "../../src/app/session/session.ts";
import { textOf } from "../../src/contracts/message.ts";
import { RECALL } from "../../src/contracts/recall.ts";
import { makeGrant } from "../../src/contracts/subject.ts";
import { MODEL, oneProcess, sessionIn } from "../support/app-harness.ts";
import { deepTest } from "../support/deep.ts";
import { tempProject } from "../support/temp-project.ts";
import { toolContext } from "../support/tool-context.ts";

/** A fact that a session was told or saw, and the words by which somebody would look for it. */
type Needle = { readonly kind: Kind; readonly fact: string; readonly query: string };
const KINDS = [
  "prompt",
  "answer",
  "read",
  "parallel",
  "output",
  "command",
  "cjk",
  "child",
  "error",
  "spilled",
] as const;
type Kind = (typeof KINDS)[number];
/** Results that are written to files are large: fewer of them do. */
const MAX_SPILLED = 6;

const SUMMARY = `<summary>
## Goal
Look through the services.
## Decisions
None.
## Files
Many were read.
## Open points
None.
## Next step
Look at the next service.
</summary>`;

const name = (at: number) => `svc_${(at * 7919 + 13).toString(36)}`;
const value = (at: number) => String(10_007 + at * 7_351);

function needleOf(at: number): Needle {
  const wanted = KINDS[at % KINDS.length] ?? "read";
  const kind = wanted === "spilled" && at >= MAX_SPILLED * KINDS.length ? "read" : wanted;
  if (kind === "cjk") return { kind, fact: `${name(at)} 的端口是 ${value(at)}`, query: `${name(at)} 端口` };
  return { kind, fact: `the port of ${name(at)} is ${value(at)}`, query: `port ${name(at)}` };
}

/** Lines around a fact, such as a file or a command has them. None has the words of a query. */
function hay(at: number, fact: string, lines: number): string {
  const line = (n: number) =>
    `row ${n} of part ${at}: ${((at + 1) * (n + 3) * 2_654_435_761) % 1_000_000_007} units, checked`;
  const all = Array.from({ length: lines }, (_, n) => line(n));
  all[Math.floor(lines * 0.6)] = fact;
  return all.join("\n");
}

type Step = {
  readonly prompt: string;
  readonly calls: readonly (readonly [string, JsonObject])[];
  readonly answer: string;
};

const LINES = 60;
const SPILLED_LINES = 3_000;
const files = (needles: readonly Needle[]) =>
  Object.fromEntries(
    needles.map(({ kind, fact }, at) => [`f${at}.txt`, hay(at, fact, kind === "spilled" ? SPILLED_LINES : LINES)]),
  );

function stepOf({ kind, fact }: Needle, at: number): Step {
  const read = (n: number) => ["Read", { file_path: `f${n}.txt` }] as const;
  const run = (command: string) => ["Bash", { command, description: "Look" }] as const;
  const base = { prompt: `step ${at}`, calls: [read(at)], answer: "Seen." };
  switch (kind) {
    case "prompt":
      return { ...base, prompt: `step ${at}: ${fact}`, calls: [] };
    case "answer":
      return { ...base, calls: [], answer: `I found that ${fact}.` };
    case "parallel":
      return { ...base, calls: [run("seq 1 40"), read(at), run("seq 41 80")] };
    case "output":
    case "spilled":
      return { ...base, calls: [run(`cat f${at}.txt`)] };
    case "command":
      return { ...base, calls: [run(`echo '${fact}' > /dev/null`)] };
    case "error":
      return { ...base, calls: [run(`cat f${at}.txt >&2; false`)] };
    default:
      return base;
  }
}

/** Plays the steps: the calls of the prompt's number, then its answer; a short summary where one is asked for. */
const playing =
  (steps: readonly Step[], answers: readonly string[]) =>
  ({ body }: ScenarioRequest) => {
    const messages = (body as { messages: { role: string; content: { type: string; text?: string }[] }[] }).messages;
    const last = messages.at(-1)?.content ?? [];
    const words = last.map(({ text = "" }) => text).join("\n");
    if (words.includes("## Next step")) return reply(SUMMARY);
    const asked = messages
      .filter(({ role }) => role === "user")
      .flatMap(({ content }) => content.flatMap(({ text = "" }) => /(?:^|\n)(step|child) (\d+)/.exec(text) ?? []))
      .slice(-2);
    const [what, at] = [asked[0], Number(asked[1])];
    if (what === "child") return reply(answers[at] ?? "");
    const step = steps[at];
    const isResult = last.some(({ type }) => type === "tool_result");
    if (!step || isResult || step.calls.length === 0) return reply(step?.answer ?? "Fine.");
    return reply(step.calls.map(([tool, input]) => toolUse(tool, input)));
  };

/** @returns the kinds of the needles that were in context, found by one query, and lost. */
async function play(count: number, windowTokens: number) {
  const needles = Array.from({ length: count }, (_, at) => needleOf(at));
  const steps = needles.map(stepOf);
  await using here = await oneProcess(
    playing(
      steps,
      needles.map(({ fact }) => `The child says: ${fact}.`),
    ),
  );
  await using project = await tempProject(files(needles));
  const settings = JSON.stringify({
    sandbox: { enabled: false },
    models: { [MODEL]: { contextWindow: windowTokens, maxOutputTokens: 1_000 } },
  });
  const { session, events } = await sessionIn(here.app, project.dir, { settings, allow: ["Bash", "Grep", "Read"] });
  for (const [at, { prompt }] of steps.entries()) {
    if (needles[at]?.kind === "child") await runChild(session, at);
    else await session.main.engine.submit({ prompt });
    if ((at + 1) % Math.floor(count / 3) === 0) await session.main.engine.compact();
  }
  const summaries = session.main.engine.conversation.history().filter((one) => one.kind === "compacted" && one.summary);
  const context = JSON.stringify(session.main.engine.conversation.messages);
  const found = { inContext: [] as Kind[], recalled: [] as Kind[], lost: [] as Needle[] };
  for (const needle of needles) {
    if (context.includes(needle.fact)) found.inContext.push(needle.kind);
    else if ((await recall(session, needle.query)).includes(needle.fact)) found.recalled.push(needle.kind);
    else found.lost.push(needle);
  }
  const compactions = events.filter(({ event }) => event.type === "compacted").length;
  await session.close();
  return { ...found, summaries: summaries.length, compactions };
}

async function runChild(session: Session, at: number): Promise<void> {
  const child = await session.main.spawn({});
  try {
    await child.run(`child ${at}`);
  } finally {
    await child.close();
  }
}

async function recall(session: Session, query: string): Promise<string> {
  const { tool } = session.main.registry.get(RECALL);
  const call = await tool.prepare({ query }, toolContext(session.main.toolPorts));
  const grant = makeGrant({ toolUseId: "t", confinement: "none", decidedBy: { kind: "default" }, notes: [] });
  return textOf((await call.run(grant, () => undefined)).content);
}

const countOf = (kinds: readonly Kind[]) =>
  Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]));

function print({ inContext, recalled, lost, summaries, compactions }: Awaited<ReturnType<typeof play>>): void {
  console.log(
    `needles: ${inContext.length} in context, ${recalled.length} by one Recall, ${lost.length} lost; ${summaries} summaries, ${compactions} compactions`,
    JSON.stringify({ inContext: countOf(inContext), recalled: countOf(recalled), lost }),
  );
}

deepTest(
  "each of 12 facts of a session that was summed up three times is in context or found by one query",
  async () => {
    const found = await play(12, 12_000);
    expect(found.lost).toEqual([]);
    expect(found.summaries).toBeGreaterThanOrEqual(3);
    expect(found.recalled.length).toBeGreaterThan(5);
  },
  60_000,
);

deepTest(
  "each of 200 facts of a session that was summed up three times is in context or found by one query",
  async () => {
    const found = await play(200, 24_000);
    print(found);
    expect(found.lost).toEqual([]);
    expect(found.summaries).toBeGreaterThanOrEqual(3);
    expect(found.recalled.length).toBeGreaterThan(100);
  },
);
