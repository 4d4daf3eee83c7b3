import { expect } from "bun:test";
import { join } from "node:path";
import { failing, fault, reply, type Scenario, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin, type Twin } from "@quoll/model-twin/server";
import { builtArtefacts } from "../support/built.ts";
import { eachOrDeep } from "../support/deep.ts";
import { runCommand } from "../support/run-command.ts";
import { tempProject } from "../support/temp-project.ts";

const LIMIT_MS = 60_000;
const FILES = { "a.txt": "apples\n", "b.txt": "bananas\n", "c.txt": "cherries\n" };
const OVERLOADED = Array.from({ length: 3 }, () => failing(fault.overloaded()));

type Named = {
  readonly provider: string;
  readonly model: string;
  readonly path: string;
  readonly type?: string;
  /** The id of its first call; undefined: one of the wire's own. */
  readonly callId?: string;
};
/** One of each kind of wire, and two servers that number their calls in the same way. */
const ANTHROPIC: Named = { provider: "anthropic", model: "anthropic/claude-sonnet-5-5", path: "" };
const RESPONSES: Named = { provider: "openai", model: "openai/gpt-5", path: "/v1" };
const GEMINI: Named = { provider: "google", model: "google/gemini-3-pro-preview", path: "/v1beta" };
const COMPATIBLE = { path: "/v1", type: "openai-compatible", callId: "call_0" } as const;
const CHAT: Named = { provider: "house", model: "house/house-model", ...COMPATIBLE };
const NEIGHBOUR: Named = { provider: "next-door", model: "next-door/house-model", ...COMPATIBLE };

const KEY = "key-of-a-test";
const KEYS = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, GEMINI_API_KEY: KEY };
const looks = ({ callId }: Named, file: string) =>
  reply([thinking("Hm."), text("Next."), toolUse("Read", { file_path: file }, callId)]);

async function three(chain: readonly [Named, Named, Named], scenarios: readonly [Scenario, Scenario, Scenario]) {
  const open = new AsyncDisposableStack();
  const twins = await Promise.all(
    scenarios.map(async (scenario) => open.use(await startTwin({ scenario, openai: { requireKey: false } }))),
  );
  const providers = Object.fromEntries(
    chain.map(({ provider, path, type }, index) => [
      provider,
      { baseUrl: `${twins[index]?.url}${path}`, ...(type && { type }) },
    ]),
  );
  const project = open.use(await tempProject(FILES));
  const home = open.use(
    await tempProject({ "own/config/settings.json": JSON.stringify({ providers, sandbox: { enabled: false } }) }),
  );
  const { executable } = await builtArtefacts();
  const run = (args: readonly string[]) =>
    runCommand([executable, "-p", ...args], {
      cwd: project.dir,
      env: { HOME: home.dir, QUOLL_HOME: join(home.dir, "own"), ...KEYS },
    });
  return { run, twins: twins as [Twin, Twin, Twin], [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Every result that a request tells of, in order: what Read made of the three files. */
function toldResults(body: string): readonly string[] {
  return [...body.matchAll(/apples|bananas|cherries/g)].map(([word]) => word);
}

const CHAINS = (
  [
    [ANTHROPIC, RESPONSES, GEMINI],
    [GEMINI, CHAT, ANTHROPIC],
    [CHAT, NEIGHBOUR, RESPONSES],
  ] as const
).map((chain) => [chain.map(({ model }) => model).join(", "), chain] as const);

eachOrDeep(
  "a session begun on one provider, failed over in the middle of tool use and resumed on a third: %s",
  0,
  CHAINS,
  async (_, chain) => {
    const [first, second, third] = chain;
    await using here = await three(chain, [
      [looks(first, "a.txt"), ...OVERLOADED],
      [looks(second, "b.txt"), reply("Half way.")],
      [looks(third, "c.txt"), reply("Done.")],
    ]);
    const begun = await here.run(["go", "--model", first.model, "--fallback-model", second.model]);
    expect(begun).toEqual({ code: 0, out: "Half way.\n", err: expect.any(String) });
    expect(begun.err).toContain(`${second.model.split("/")[1]} takes over.`);
    const resumed = await here.run(["on", "--continue", "--model", third.model, "--output-format", "json"]);
    expect(JSON.parse(resumed.out)).toMatchObject({ is_error: false, result: "Done.", session_id: expect.any(String) });

    for (const twin of here.twins) expect(twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
    const bodies = here.twins.map(({ requests }) => requests.at(-1)?.bodyText ?? "");
    expect(bodies.map(toldResults)).toEqual([["apples"], ["apples", "bananas"], ["apples", "bananas", "cherries"]]);
    // No provider gets another provider's thinking.
    expect(here.twins[1].requests[0]?.bodyText).not.toContain("Hm.");
    expect(here.twins[2].requests[0]?.bodyText).not.toContain("Hm.");
  },
  LIMIT_MS,
);
