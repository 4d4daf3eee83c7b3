import { expect } from "bun:test";
import {
  failing,
  fault,
  type Reply,
  type ReplyBlock,
  rawToolUse,
  reply,
  text,
  thinking,
  toolUse,
} from "@quoll/model-twin/scenario";
import { MAIN_AGENT } from "../../../src/contracts/agent.ts";
import { NO_HOOKS } from "../../../src/contracts/hook.ts";
import { type Entry, type EntryBody, SESSION_FORMAT, type SessionLog } from "../../../src/contracts/session.ts";
import { type Tool, textResult } from "../../../src/contracts/tool.ts";
import { ModelTools } from "../../../src/engine/model-tools.ts";
import { QueryEngine } from "../../../src/engine/query-engine.ts";
import { SessionState } from "../../../src/engine/session-state.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { toolRegistry } from "../../../src/services/inventory/create-registry.ts";
import { modelCatalog } from "../../../src/services/provider/catalog.ts";
import { CallMatcher } from "../../../src/services/replay/call-matcher.ts";
import { makeSteps } from "../../../src/services/replay/make-steps.ts";
import { Playback } from "../../../src/services/replay/playback.ts";
import { formatRecording, parseRecording, type Step } from "../../../src/services/replay/recording.ts";
import { replayPermissions } from "../../../src/services/replay/replay-permissions.ts";
import { replayTools } from "../../../src/services/replay/replay-tools.ts";
import { unsavedSessionLog } from "../../../src/services/session/unsaved-session-log.ts";
import { seededTest } from "../../support/deep.ts";
import { answering, countedIds, engineHarness, NO_CAPS, NO_SECRETS, testTool } from "../../support/engine-harness.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { toolPorts } from "../../support/tool-context.ts";

const HEAD = {
  kind: "recording",
  format: 1,
  sessionId: "s",
  version: "1",
  madeAt: "",
  isRedacted: false,
  missing: [],
} as const;
type Random = ReturnType<typeof seededRandom>;

/** Deterministic tools: one that reads, one whose results depend on what was written before, one that fails. */
function tools(change = ""): readonly Tool[] {
  const written: string[] = [];
  return [
    testTool("Look", { run: async (given) => textResult(`${given}: ${written.join(",")}${change}`) }),
    testTool("Change", {
      level: "write",
      run: async (given) => {
        written.push(given);
        return textResult(`${written.length} written`);
      },
    }),
    testTool("Fail", { run: async (given) => textResult(`no ${given}`, { isError: true }) }),
    testTool("Long", { run: async (given) => textResult(given.repeat(150_000)) }),
  ];
}

/** Refuses some calls, as a person or a rule would. */
const permissions = () =>
  answering(({ call }) =>
    call.title.startsWith("z")
      ? {
          decision: "deny",
          decidedBy: { kind: "rule", reason: "a test" },
          message: "Refused by a test.",
          unanswered: false,
        }
      : undefined,
  );

function someScenario(random: Random): { readonly replies: readonly Reply[]; readonly prompts: readonly string[] } {
  const word = () => random.pick(["a", "b", "zed", "ü", "c"]);
  const call = (): ReplyBlock =>
    random.chance(0.1)
      ? rawToolUse("Look", '{"text": "cut')
      : toolUse(
          random.pick(["Look", "look", "Change", "Fail", "Long", "Lok"]),
          random.chance(0.1) ? {} : { text: word() },
        );
  const delivery = () => ({ deltaChars: 1 + random.below(40) });
  const step = (): readonly Reply[] => {
    const said = [...(random.chance(0.3) ? [thinking("Hm.")] : []), ...(random.chance(0.5) ? [text(word())] : [])];
    const answer = reply([...said, ...random.some(3, call), call()], delivery());
    if (random.chance(0.1)) return [failing(fault.overloaded()), answer];
    if (random.chance(0.1)) return [reply([text("half"), call()], { fault: fault.cut({ deltas: 1 }) }), answer];
    if (random.chance(0.1)) return [reply([text("on")], { stopReason: "pause_turn" }), answer];
    if (random.chance(0.1)) return [reply([text("one"), call()], { stopReason: "max_tokens" }), answer];
    return random.chance(0.1) ? [reply([]), answer] : [answer];
  };
  const end = () =>
    random.chance(0.3)
      ? [reply("Cut", { stopReason: "max_tokens" }), reply("Cut of", { stopReason: "max_tokens" })]
      : [];
  const turns = Array.from({ length: 1 + random.below(3) }, () => random.some(4, step).flat());
  const replies = turns.flatMap((turn) => [...turn, ...end(), reply("Done.")]);
  return { replies, prompts: turns.map((_, at) => `prompt ${at}`) };
}

async function recorded({ replies, prompts }: ReturnType<typeof someScenario>): Promise<readonly Step[]> {
  await using h = await engineHarness({
    scenario: (_, index) => replies[index] ?? reply("Over."),
    tools: tools(),
    permissions: permissions(),
  });
  for (const prompt of prompts) await h.engine.submit({ prompt });
  const bodies = h.written.filter((one): one is EntryBody => one !== "sync");
  const entries = bodies.map(
    (body, at): Entry => ({
      v: SESSION_FORMAT,
      id: `e${at}`,
      parentId: at === 0 ? null : `e${at - 1}`,
      time: "",
      ...body,
    }),
  );
  return makeSteps(entries);
}

async function replay(steps: readonly Step[], available = tools()) {
  const matcher = new CallMatcher(steps, { unplayable: () => undefined, hide: (given) => given });
  const playback = new Playback(steps, matcher);
  const policy = {
    matcher,
    allowsRecorded: false,
    isForeign: false,
    isConfined: async () => false,
    isInCopy: () => true,
  };
  const kept = unsavedSessionLog({ sessionId: "replay" });
  const log: SessionLog = {
    ...kept,
    append(body, place) {
      playback.note(body);
      return kept.append(body, place);
    },
  };
  const engine = new QueryEngine(
    {
      state: new SessionState({
        mode: "default",
        model: { provider: playback.provider, model: modelCatalog().resolve("default") },
        workspace: { cwd: "/" },
      }),
      catalog: modelCatalog(),
      clock: systemClock,
      ids: countedIds(),
      agent: MAIN_AGENT,
      log,
      permissions: replayPermissions(permissions(), permissions(), policy),
      questions: {
        pending: [],
        reply: () => false,
        answerWith: () => () => undefined,
        subscribe: () => () => undefined,
      },
      toolPorts: toolPorts(),
      tools: new ModelTools(toolRegistry(replayTools(available, matcher))),
      artifacts: { directory: "/artifacts", save: async (name) => `/artifacts/${name}` },
      cwd: () => "/",
      redactor: async () => NO_SECRETS,
      system: "",
      hooks: NO_HOOKS,
      asker: { canAsk: false, ask: async () => ({ decision: "reject" }) },
      spend: NO_CAPS,
      compactor: [],
      transcriptPath: "",
      describeSession: async () => "",
      selectModel: async (model) => ({ provider: playback.provider, model }),
      forgetFiles: () => undefined,
      forgetResults: () => undefined,
      endBackgroundWork: async () => [],
    },
    {},
  );
  for (let move = playback.next(); move; move = playback.next()) {
    const { left } = playback;
    if (move.kind === "input") await engine.submit({ prompt: move.prompt });
    if (move.kind === "input" && playback.left === left) break;
  }
  await engine.close();
  return { left: playback.left, outcomes: matcher.outcomes() };
}

seededTest(
  "whatever a session was, deterministic tools give the same again; a changed one differs just where it shows",
  { seed: 1, cases: { quick: 4, deep: 400 } },
  async (first, runs) => {
    let calls = 0;
    let differing = 0;
    for (let seed = first; seed < first + runs; seed += 1) {
      const random = seededRandom(seed);
      const found = await recorded(someScenario(random));
      if (!found.some(({ kind }) => kind === "answer")) continue;
      const { steps } = parseRecording(formatRecording({ head: HEAD, files: [], steps: found }), `seed ${seed}`);
      const { left, outcomes } = await replay(steps);
      const odd = outcomes.filter(({ status }) => status !== "same");
      expect({ seed, left, odd }).toEqual({ seed, left: 0, odd: [] });
      const uses = found.flatMap((step) => (step.kind === "answer" ? step.message.content : []));
      expect(outcomes.length).toBe(uses.filter(({ type }) => type === "tool_use").length);
      calls += outcomes.length;

      const changed = await replay(steps, tools("!"));
      for (const outcome of changed.outcomes) {
        const answer = found.flatMap((step) => (step.kind === "result" ? [step] : []))[outcome.number - 1];
        const shows = outcome.tool.toLowerCase() === "look" && answer?.ran === true;
        expect({ seed, number: outcome.number, differs: outcome.status === "differs" }).toEqual({
          seed,
          number: outcome.number,
          differs: shows,
        });
        if (shows) differing += 1;
      }
    }
    // The property was tried on something.
    expect({ calls: calls > 3 * runs, differing: differing > runs / 2 }).toEqual({ calls: true, differing: true });
  },
  60_000,
);
