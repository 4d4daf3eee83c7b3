import { expect, test } from "bun:test";
import type { NewQuestion, Reply } from "../../../../src/contracts/question.ts";
import { Credentials } from "../../../../src/services/tools/bash/credentials.ts";
import { shellParser } from "./bash-session.ts";

const ENVIRONMENT = { PATH: "/bin", HOME: "/home/ann", GH_TOKEN: "x".repeat(20), NPM_TOKEN: "y".repeat(20) };
const signal = new AbortController().signal;

async function commandsOf(source: string) {
  const parsed = (await shellParser()).parse(source);
  return parsed.understood ? parsed.commands : [];
}

function book(replies: readonly Reply[], { canAsk = true, passed = [] as readonly string[], fails = false } = {}) {
  const asked: NewQuestion[] = [];
  const kept: string[] = [];
  const warned: string[] = [];
  const queue = [...replies];
  const credentials = new Credentials({
    environment: ENVIRONMENT,
    passed,
    asker: {
      canAsk,
      ask: async (question) => {
        asked.push(question);
        return queue.shift() ?? { decision: "reject" };
      },
    },
    persist: async (names) => {
      if (fails) throw new Error("no disk");
      kept.push(...names);
    },
    onNotice: (line) => void warned.push(line),
  });
  const offer = async (source: string) => credentials.offer(await commandsOf(source), "t1", signal);
  return { credentials, offer, asked, kept, warned };
}

test("a program that uses a withheld variable is offered it once, by name and never by value", async () => {
  const { credentials, offer, asked } = book([{ decision: "once" }, { decision: "reject" }]);
  expect(await offer("gh pr list")).toEqual(["GH_TOKEN"]);
  expect(asked[0]).toMatchObject({
    title: "Give GH_TOKEN to gh?",
    body: { kind: "credential", rules: ["env.pass: GH_TOKEN"] },
  });
  expect(JSON.stringify(asked)).not.toContain(ENVIRONMENT.GH_TOKEN);
  expect(credentials.passed).toEqual([]);
  expect(await offer("timeout 5 gh pr list")).toEqual([]);
  expect(await offer("gh pr view")).toEqual([]);
  expect(asked).toHaveLength(2);
});

test("a yes for the session holds, one for always is kept, other variables stay withheld", async () => {
  const { credentials, offer, asked, kept } = book([{ decision: "session" }, { decision: "always" }]);
  await offer("gh pr list");
  await offer("gh pr view && npm publish");
  expect(credentials.passed).toEqual(["GH_TOKEN", "NPM_TOKEN"]);
  expect({ asked: asked.length, kept }).toEqual({ asked: 2, kept: ["NPM_TOKEN"] });
  expect(credentials.withheld).toEqual([]);
});

test("nothing is offered for other programs, for what settings pass, or with nobody to ask", async () => {
  const plain = book([]);
  await plain.offer("ls && git status && ./gh");
  const passing = book([], { passed: ["GH_*"] });
  await passing.offer("gh pr list");
  const alone = book([], { canAsk: false });
  await alone.offer("gh pr list");
  expect([plain, passing, alone].map(({ asked }) => asked.length)).toEqual([1, 0, 0]);
  expect(alone.credentials.withheld).toEqual(["GH_TOKEN", "NPM_TOKEN"]);
});

test("a choice that can't be saved is reported and holds for the session", async () => {
  const { credentials, offer, warned } = book([{ decision: "always" }], { fails: true });
  await offer("gh pr list");
  expect({ warned, passed: credentials.passed }).toEqual({ warned: ["no disk"], passed: ["GH_TOKEN"] });
});
