import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { Display, Preview } from "../../../src/contracts/display.ts";
import type { ToolCall } from "../../../src/contracts/tool.ts";
import { createRedactor } from "../../../src/services/redaction/create-redactor.ts";
import { editTool } from "../../../src/services/tools/edit/edit.ts";
import { readTool } from "../../../src/services/tools/read/read.ts";
import { ReadTracker } from "../../../src/services/tools/read-tracker.ts";
import { writeTool } from "../../../src/services/tools/write/write.ts";
import { tempProject } from "../../support/temp-project.ts";
import { testDocuments } from "../../support/test-documents.ts";
import { toolContext } from "../../support/tool-context.ts";
import { mixed, pem } from "../redaction/credentials.ts";
import { failure, runCall } from "./call-tool.ts";

const TOKEN = ["gh", "p_", mixed(36)].join("");
const OTHER_TOKEN = ["gh", "p_", mixed(40).slice(4)].join("");
const BODY = [...Array(30)].map(() => randomBytes(48).toString("base64"));
const KEY = pem(BODY);
const FILLER = Array.from({ length: 8 }, (_, index) => `# line ${index}\n`).join("");

/** The file tools of a session in which secrets are hidden, on a project. */
async function hidingTools(files: Readonly<Record<string, string>>) {
  const project = await tempProject(files);
  const redactor = await createRedactor({ key: randomBytes(32) });
  const deps = {
    home: "/nonexistent",
    tracker: new ReadTracker(),
    isHidden: () => false,
    documents: testDocuments,
    redactor: async () => redactor,
  };
  const context = toolContext({ cwd: project.dir });
  const [read, edit, write] = [readTool(deps), editTool(deps), writeTool(deps)];
  for (const name of Object.keys(files)) await runCall(await read.prepare({ file_path: name }, context));
  return {
    ...project,
    redactor,
    /** The placeholder that the model sees in place of a value. */
    placeholder: (text: string) => redactor.placeholdersIn(redactor.redact(text))[0] ?? "none",
    edit: (raw: Readonly<Record<string, unknown>>) => edit.prepare(raw, context),
    write: (raw: Readonly<Record<string, unknown>>) => write.prepare(raw, context),
  };
}

/** Everything about a call that a person, a log or a model may see. */
async function seenOf(call: ToolCall): Promise<string> {
  const result = await runCall(call);
  return JSON.stringify([call.input, call.title, call.subjects, call.preview, result]);
}

function linesOf(diff: Preview | Display | undefined): readonly string[] {
  if (diff?.kind !== "diff") throw new Error("no diff");
  const signs = { same: " ", added: "+", removed: "-" } as const;
  return diff.hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => signs[kind] + text));
}

describe("placeholders of secrets", () => {
  test("Edit puts them back from the file, and shows them everywhere else", async () => {
    await using tools = await hidingTools({ ".env": `A=1\nTOKEN=${TOKEN}\nB=2\n` });
    const hidden = tools.placeholder(`TOKEN=${TOKEN}`);
    const call = await tools.edit({
      file_path: ".env",
      old_string: `TOKEN=${hidden}\nB=2`,
      new_string: `GITHUB_TOKEN=${hidden}\nB=3`,
    });
    expect(linesOf(call.preview)).toEqual([" A=1", `-TOKEN=${hidden}`, "-B=2", `+GITHUB_TOKEN=${hidden}`, "+B=3"]);
    expect(await seenOf(call)).not.toContain(TOKEN);
    expect(await tools.read(".env")).toBe(`A=1\nGITHUB_TOKEN=${TOKEN}\nB=3\n`);
  });

  test("in a list of edits too, each from what the file holds before the first", async () => {
    await using tools = await hidingTools({ f: `x ${TOKEN}\n${FILLER}y ${OTHER_TOKEN}\n` });
    const [one, two] = [tools.placeholder(TOKEN), tools.placeholder(OTHER_TOKEN)];
    const call = await tools.edit({
      file_path: "f",
      edits: [
        { old_string: `x ${one}`, new_string: `x = ${one}` },
        { old_string: `y ${two}`, new_string: `y = ${two} and ${one}` },
      ],
    });
    const seen = await seenOf(call);
    expect([seen.includes(TOKEN), seen.includes(OTHER_TOKEN)]).toEqual([false, false]);
    expect(await tools.read("f")).toBe(`x = ${TOKEN}\n${FILLER}y = ${OTHER_TOKEN} and ${TOKEN}\n`);
  });

  test("Write keeps the file's own values", async () => {
    await using tools = await hidingTools({ ".env": `TOKEN=${TOKEN}\n` });
    const hidden = tools.placeholder(`TOKEN=${TOKEN}`);
    const call = await tools.write({ file_path: ".env", content: `# mine\nTOKEN=${hidden}\nNEW=1\n` });
    expect(linesOf(call.preview)).toEqual(["+# mine", ` TOKEN=${hidden}`, "+NEW=1"]);
    expect(await seenOf(call)).not.toContain(TOKEN);
    expect(await tools.read(".env")).toBe(`# mine\nTOKEN=${TOKEN}\nNEW=1\n`);
  });

  test("a value is never put into another file, an old one or a new one", async () => {
    await using tools = await hidingTools({ ".env": `TOKEN=${TOKEN}\n`, "a.ts": "const a = 1;\n" });
    const hidden = tools.placeholder(`TOKEN=${TOKEN}`);
    const tries = [
      () => tools.edit({ file_path: "a.ts", old_string: "1", new_string: `"${hidden}"` }),
      () => tools.edit({ file_path: "new.ts", old_string: "", new_string: hidden }),
      () => tools.write({ file_path: "a.ts", content: hidden }),
      () => tools.write({ file_path: "new.ts", content: hidden }),
    ];
    for (const attempt of tries)
      expect(await failure(attempt())).toContain("stands for a secret that is hidden from you");
    expect(await tools.read("a.ts")).toBe("const a = 1;\n");
  });

  test("no line of a private key shows in a diff, however little of it the change is near to", async () => {
    const text = `before\n${KEY}\nafter\n`;
    await using tools = await hidingTools({ key: text, config: `a: 1\n${FILLER}${text}` });
    const calls = [
      await tools.edit({ file_path: "key", old_string: "after", new_string: "behind" }),
      await tools.edit({ file_path: "config", old_string: "before", new_string: "in front" }),
      await tools.write({ file_path: "key", content: "gone\n" }),
      await tools.edit({ file_path: "key", old_string: BODY[12], new_string: BODY[13]?.toLowerCase() }),
    ];
    for (const call of calls.slice(0, 3)) {
      const seen = JSON.stringify([call.preview]);
      expect(BODY.filter((line) => seen.includes(line))).toEqual([]);
    }
    // The model knows the text that it wrote, but learns nothing about the lines around it.
    const seen = JSON.stringify(calls[3]?.preview);
    expect(BODY.filter((line, index) => index !== 12 && seen.includes(line))).toEqual([]);
    expect(linesOf(calls[2]?.preview)).toContain(`-${tools.placeholder(KEY)}`);
    const result = await runCall(calls[1]!);
    expect(BODY.filter((line) => JSON.stringify(result).includes(line))).toEqual([]);
    expect(await tools.read("config")).toBe(`a: 1\n${FILLER}in front\n${KEY}\nafter\n`);
  });

  test("a part of the hunks is a call with placeholders, which puts the values back", async () => {
    const before = `a ${TOKEN}\n${FILLER}b\n${FILLER}c ${OTHER_TOKEN}\n`;
    const after = `A ${TOKEN}\n${FILLER}B\n${FILLER}C ${OTHER_TOKEN}\n`;
    await using tools = await hidingTools({ e: before, w: before });
    const hide = (text: string) => tools.redactor.redact(text);
    const calls = [
      await tools.edit({
        file_path: "e",
        edits: [
          ["a ", "A "],
          ["b\n", "B\n"],
          ["c ", "C "],
        ].map(([from, to]) => ({ old_string: from, new_string: to })),
      }),
      await tools.write({ file_path: "w", content: hide(after) }),
    ];
    for (const [index, prepare] of [tools.edit, tools.write].entries()) {
      const input = calls[index]?.takeHunks?.([0, 2]) ?? {};
      expect([JSON.stringify(input).includes(TOKEN), JSON.stringify(input).includes(OTHER_TOKEN)]).toEqual([
        false,
        false,
      ]);
      await runCall(await prepare(input));
    }
    const expected = `A ${TOKEN}\n${FILLER}b\n${FILLER}C ${OTHER_TOKEN}\n`;
    expect([await tools.read("e"), await tools.read("w")]).toEqual([expected, expected]);
  });

  test("a part that writes a credential of its own is not made into a call that could not put it back", async () => {
    await using tools = await hidingTools({ f: `a\n${FILLER}b\n` });
    const call = await tools.write({ file_path: "f", content: `a ${TOKEN}\n${FILLER}B\n` });
    expect(() => call.takeHunks?.([0])).toThrow("it can only be accepted as a whole");
    expect(call.takeHunks?.([1])).toEqual({ file_path: "f", content: `a\n${FILLER}B\n` });
  });

  test("text that only looks like a placeholder is text where the file has it", async () => {
    const own = "[[SECRET:github:0123456789ab]]";
    await using tools = await hidingTools({ "notes.md": `see ${own}\n` });
    await runCall(await tools.edit({ file_path: "notes.md", old_string: `see ${own}`, new_string: `look at ${own}` }));
    expect(await tools.read("notes.md")).toBe(`look at ${own}\n`);
  });
});
