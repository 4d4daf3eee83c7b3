import { expect, test } from "bun:test";
import { fileMentions } from "../../../src/contracts/file-mention.ts";
import { call, oneProcess, sessionIn } from "../../support/app-harness.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";

const FILES = {
  "src/a.ts": "one\ntwo\nthree\nfour\n",
  "src/b c.ts": "spaced\n",
  ".env": "TOKEN=abc\n",
  "data.gz": "\x1f\x8b\0binary",
  "big.txt": Array.from({ length: 3_000 }, (_, at) => `line ${at + 1}`).join("\n"),
};
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Block = {
  readonly type: string;
  readonly text?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
  readonly source?: object;
};
type Body = { readonly messages: readonly { readonly content: readonly Block[] }[] };

async function stage(more: Parameters<typeof sessionIn>[2] = {}, files: Readonly<Record<string, string>> = FILES) {
  const here = await oneProcess();
  const project = await tempProject(files);
  const { session, events } = await sessionIn(here.app, project.dir, more);
  const shown = () =>
    events.flatMap(({ event }) =>
      event.type === "notice" ? [event.message] : "prompt" in event && event.prompt !== "" ? [event.prompt] : [],
    );
  const notices = () => events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []));
  const blocksOf = (request: number) => {
    const body = here.twin.requests.at(request)?.body as Body | undefined;
    return body?.messages.at(-1)?.content ?? [];
  };
  /** The texts of the last prompt that was sent, the person's words last. */
  const say = async (prompt: string) => {
    const before = here.twin.requests.length;
    await session.main.engine.submit({ prompt });
    return blocksOf(before).map((block) => block.text ?? block.type);
  };
  const lastBlocks = () => blocksOf(-1);
  return {
    ...{ session, project, notices, shown, say, lastBlocks },
    async [Symbol.asyncDispose]() {
      await session.close();
      await project[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}

test("a mentioned file goes with the message as Read shows it, and Edit knows it", async () => {
  await using here = await stage({ allow: ["Edit"] });
  const sent = await here.say("explain @src/a.ts, please");
  expect(sent.at(-1)).toBe("explain @src/a.ts, please");
  expect(sent.at(-3)).toContain("src/a.ts");
  expect(sent.at(-2)).toContain("     1\tone\n     2\ttwo");
  expect(here.notices()).toContain("Attached src/a.ts (4 lines).");
  await here.say(call("Edit", { file_path: "src/a.ts", old_string: "two", new_string: "2" }));
  expect(here.lastBlocks().find(({ type }) => type === "tool_result")).not.toHaveProperty("is_error");
  expect(await Bun.file(here.project.path("src/a.ts")).text()).toBe("one\n2\nthree\nfour\n");
});

deepTest("the lines about mentioned files follow their prompt, also one that arrives during a turn", async () => {
  await using here = await stage({ allow: ["Bash"] });
  const { engine } = here.session.main;
  const unsubscribe = engine.subscribe(({ event }) => {
    if (event.type === "tool_started") engine.enqueue({ prompt: "and @src" }, "steer");
  });
  const prompt = call("Bash", { command: "echo hi", description: "for @src/a.ts now" });
  await here.say(prompt);
  unsubscribe();
  expect(here.shown()).toEqual([prompt, "Attached src/a.ts (4 lines).", "and @src", "Attached src (2 entries)."]);
});

deepTest(
  "a range attaches only its lines, quotes hold a path with a space, and a second mention gives the text again",
  async () => {
    await using here = await stage();
    const sent = await here.say('compare @src/a.ts#L2-3 with @"src/b c.ts"');
    const text = sent.join("\n");
    expect(text).toContain("     2\ttwo\n     3\tthree");
    expect(text).not.toContain("\tone");
    expect(text).toContain("     1\tspaced");
    expect((await here.say("again @src/a.ts#L2-3")).join("\n")).toContain("     2\ttwo");
    const line = (await here.say("why @src/a.ts:2?")).slice(-3).join("\n");
    expect(line).toMatch(/src\/a\.ts, line 2\. .*\n {5}2\ttwo\n\[/);
  },
);

test("a folder attaches its names, without those that a rule denies", async () => {
  await using here = await stage({ deny: ["Read(./src/b*)"] });
  const sent = (await here.say("what is in @src/ and @src?")).join("\n");
  expect(sent).toContain("a.ts");
  expect(sent).not.toContain("b c.ts");
  expect(here.notices()).toContain("Attached src (1 entry).");
});

test("a denied file is not read, and both the person and the model learn why", async () => {
  await using here = await stage({ deny: ["Read(./src/**)"] });
  const sent = (await here.say("explain @src/a.ts")).join("\n");
  expect(sent).not.toContain("\tone");
  expect(sent).toContain("src/a.ts was not attached");
  expect(here.notices().join("\n")).toContain("src/a.ts was not attached: refused by");
});

test("a secret file and a file outside the project are refused where nobody can be asked", async () => {
  await using outside = await tempProject({ "note.txt": "private\n" });
  await using here = await stage({ answerer: "nobody" });
  const sent = (await here.say(`use @.env and @${outside.path("note.txt")}`)).join("\n");
  expect(sent).not.toContain("TOKEN=abc");
  expect(sent).not.toContain("private");
  expect(here.notices().filter((line) => line.includes("was not attached"))).toHaveLength(2);
});

test("words that name no file stay words: an address, a decorator, a missing file", async () => {
  await using here = await stage();
  const words = "mail me@src/a.ts about @Injectable() and @missing.ts";
  const sent = await here.say(words);
  expect(sent.filter((text) => text.includes("attached"))).toEqual([]);
  expect(sent.at(-1)).toBe(words);
  expect(here.notices()).toEqual(["`@missing.ts` names no file, so nothing was attached for it."]);
});

test("a large file is cut with a note that says where to continue, and a binary file is named", async () => {
  await using here = await stage();
  const sent = (await here.say("read @big.txt and @data.gz")).join("\n");
  expect(sent).toContain("\tline 2000\n");
  expect(sent).toContain("2001");
  expect(sent).not.toContain("line 2002");
  expect(here.notices().join("\n")).toContain("data.gz was not attached: data.gz is ");
});

test("an image goes along as a block", async () => {
  await using here = await stage();
  await Bun.write(here.project.path("dot.png"), Buffer.from(PNG, "base64"));
  await here.say("what is @dot.png?");
  expect(here.lastBlocks().map(({ type }) => type)).toContain("image");
  expect(here.notices()).toContain("Attached dot.png (image, 1×1).");
});

test("a type of agent is named to the model, an unknown one stays a word", async () => {
  await using here = await stage();
  const sent = await here.say("@agent-Explore find it, @agent-nobody");
  expect(sent.at(-2)).toContain("an agent of the type Explore");
  expect(sent.join("\n")).not.toContain("type nobody");
});

test("words that look like files but name none are told in one line, other words after @ are not", async () => {
  await using here = await stage();
  const said =
    'Compare @src/a.ts, @src/nope.ts:12, (@src/gone) and @"b c.md"; @Override, @app.route("/x"), @types/node, ' +
    "@example.com, me@b.ts, @docs:readme.md and @src/nope.ts:12 stay.";
  const sent = await here.say(said);
  expect(sent.at(-1)).toBe(said);
  expect(here.notices().filter((line) => line.includes("no file"))).toEqual([
    "`@src/nope.ts`, `@src/gone` and `@b c.md` name no file, so nothing was attached for them.",
  ]);
  await here.say("and @./nope");
  expect(here.notices().at(-1)).toBe("`@./nope` names no file, so nothing was attached for it.");
});

test("a credential in an attached file is hidden from the model", async () => {
  const key = `ghp_${"a1B2".repeat(9)}`;
  await using here = await stage({}, { "config.txt": `token = ${key}\n` });
  const sent = (await here.say("look at @config.txt")).join("\n");
  expect(sent).toContain("token = ");
  expect(sent).not.toContain(key);
});

test("names with brackets, parentheses and signs are attached, whatever punctuation follows", async () => {
  const names = ["app/(auth)/page.tsx", "app/[...slug]", "routes/$id", "kit/+page", "@slot/(group)"];
  await using here = await stage({}, Object.fromEntries(names.map((name) => [name, `text of ${name}\n`])));
  const said = "Compare @app/(auth)/page.tsx, @app/[...slug], @routes/$id; (see @kit/+page) and (@@slot/(group)).";
  const sent = (await here.say(said)).join("\n");
  for (const name of names) expect(sent).toContain(`text of ${name}`);
});

test("a file whose name ends as a line would is attached whole", async () => {
  await using here = await stage({}, { "log-10:30": "one\ntwo\n", "log-10": "other\n" });
  expect((await here.say("see @log-10:30, please")).join("\n")).toContain("     1\tone\n     2\ttwo");
  expect(here.notices()).toContain("Attached log-10:30 (2 lines).");
});

test.each([
  ["see @a.ts.", ["a.ts.", "a.ts"], undefined],
  ["(@x/(a)).", ["x/(a)).", "x/(a))", "x/(a)", "x/(a"], undefined],
  ['(@"a b.ts"#L3)', ["a b.ts"], { first: 3, last: 3 }],
  ["@a.ts#L10-L20", ["a.ts"], { first: 10, last: 20 }],
  ["@a.ts:12", ["a.ts"], { first: 12, last: 12 }],
  ["(@src/a.ts:12-20)", ["src/a.ts:12-20)", "src/a.ts"], { first: 12, last: 20 }],
  ["@a.ts:12:5: error", ["a.ts:12:5:", "a.ts"], { first: 12, last: 12 }],
  ['@"a b.ts":3-4', ["a b.ts"], { first: 3, last: 4 }],
  ["@a.ts#L5-2,", ["a.ts#L5-2,", "a.ts"], { first: 5, last: 5 }],
])("%s is read as a mention", (words, paths, lines) => {
  expect(fileMentions(words)).toMatchObject([{ paths, ...(lines && { lines }) }]);
});

test.each([
  ["@a.pdf#p3-5.", ["a.pdf#p3-5.", "a.pdf"], "3-5"],
  ["@a.pdf#page=3", ["a.pdf"], "3"],
  ['@"a b.pdf"#p2', ["a b.pdf"], "2"],
])("%s names pages", (words, paths, pages) => {
  expect(fileMentions(words)).toMatchObject([{ paths, pages }]);
});
