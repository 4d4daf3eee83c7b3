import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { InvalidInputError, ToolFailedError } from "../../../src/contracts/errors.ts";
import { createRedactor } from "../../../src/services/redaction/create-redactor.ts";
import { tempProject } from "../../support/temp-project.ts";
import { CREDENTIALS, keyBody, mixed, pem } from "./credentials.ts";

const redactor = await createRedactor({ key: new Uint8Array(32).fill(7) });
const TOKEN = ["gh", "p_", mixed(36)].join("");
const HIDDEN = redactor.redact(TOKEN);

/** The thrown error; fails if nothing was thrown. */
async function thrown(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    (value) => {
      throw new Error(`It gave ${String(value)}.`);
    },
    (error: Error) => error,
  );
}

describe("putting a secret back", () => {
  test.each(CREDENTIALS)("gives the file's own text for $name", async ({ text }) => {
    const plain = text.replaceAll("\r\n", "\n");
    await using project = await tempProject({ file: plain });
    const restored = await redactor.restore(redactor.redact(plain), project.path("file"));
    expect(restored).toBe(plain);
    expect(redactor.redact(restored)).toBe(redactor.redact(plain));
  });

  test("in another place keeps it hidden there, under the same name", async () => {
    const fresh = await createRedactor({ key: new Uint8Array(32).fill(7) });
    const password = ["Tr0ub", "4dor&9x"].join("");
    await using project = await tempProject({ ".env": `DB_PASSWORD=${password}\n` });
    const [placeholder = ""] = fresh.placeholdersIn(redactor.redact(`DB_PASSWORD=${password}\n`));
    expect(fresh.redact(`note ${password} end`)).toContain(password);
    const written = await fresh.restore(`note ${placeholder} end`, project.path(".env"));
    expect(written).toBe(`note ${password} end`);
    expect(fresh.redact(written)).toBe(`note ${placeholder} end`);
  });

  test("works from a file that was shown with line numbers", async () => {
    const key = pem(keyBody(8), "");
    await using project = await tempProject({ "key.pem": `# one\n${key}\n` });
    const shown = redactor.redact(
      `# one\n${key}\n`
        .split("\n")
        .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
        .join("\n"),
    );
    const [placeholder = ""] = redactor.placeholdersIn(shown);
    const body = key.split("\n").slice(1, -1).join("\n");
    expect(shown).not.toContain(keyBody(8)[3] ?? "-");
    expect(await redactor.restore(`<${placeholder}>`, project.path("key.pem"))).toBe(`<${body}>`);
  });

  test("takes the line ends of the text that it is put into", async () => {
    const key = pem(keyBody(3)).replaceAll("\n", "\r\n");
    await using project = await tempProject({ "key.pem": key });
    const hidden = redactor.redact(key);
    expect(await redactor.restore(hidden, project.path("key.pem"))).toBe(key);
    const plain = hidden.replaceAll("\r\n", "\n");
    expect(await redactor.restore(plain, project.path("key.pem"))).toBe(key.replaceAll("\r\n", "\n"));
  });

  test("takes the value that stands there now, at every place", async () => {
    await using project = await tempProject({ ".env": `GH_TOKEN=${TOKEN}\n` });
    const edited = `A=${HIDDEN}\nB=${HIDDEN}\nC=1\n`;
    expect(await redactor.restore(edited, project.path(".env"))).toBe(`A=${TOKEN}\nB=${TOKEN}\nC=1\n`);
  });

  test("knows the value by its hash, whatever kind the placeholder names", async () => {
    await using project = await tempProject({ f: `token: ${TOKEN}` });
    expect(await redactor.restore(HIDDEN.replace("github", "token"), project.path("f"))).toBe(TOKEN);
  });

  test("reads UTF-16 as the tools do", async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`TOKEN=${TOKEN}\r\n`, "utf16le")]);
    await using project = await tempProject({ f: bytes });
    expect(await redactor.restore(HIDDEN, project.path("f"))).toBe(TOKEN);
  });

  test("does nothing, and opens nothing, for a text without placeholders", async () => {
    expect(await redactor.restore("plain [[SECRET:x]]", "/nowhere/at/all")).toBe("plain [[SECRET:x]]");
  });

  test("leaves what looks like a placeholder and stands in the file itself", async () => {
    const literal = "[[SECRET:example:0123456789ab]]";
    await using project = await tempProject({ "doc.md": `Looks like ${literal}.\n` });
    expect(await redactor.restore(`See ${literal}`, project.path("doc.md"))).toBe(`See ${literal}`);
  });
});

describe("a secret is not put", () => {
  test("into another file, with an error that says what to do and not the value", async () => {
    await using project = await tempProject({ a: TOKEN, b: "nothing\n" });
    const error = await thrown(redactor.restore(`x ${HIDDEN}`, project.path("b")));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toBe(
      `${HIDDEN} stands for a secret that is hidden from you, and ${project.path("b")} does not hold its value (now). A secret can't be copied to another file: write a reference to an environment variable instead, or ask the user to put the value there.`,
    );
  });

  test("into a new file, a binary one, one that changed, or when one of several is missing", async () => {
    await using project = await tempProject({ a: TOKEN, binary: Buffer.from(`\0\0${TOKEN}\0`), changed: TOKEN });
    const other = redactor.redact(["gh", "p_", mixed(35), "Z"].join(""));
    await project.write("changed", "TOKEN=\n");
    for (const name of ["new", "binary", "changed"]) {
      expect(await thrown(redactor.restore(HIDDEN, project.path(name)))).toBeInstanceOf(InvalidInputError);
    }
    expect((await thrown(redactor.restore(`${HIDDEN} ${other}`, project.path("a")))).message).toStartWith(other);
  });

  test("through a link or a folder", async () => {
    await using project = await tempProject({ a: TOKEN });
    symlinkSync(project.path("a"), project.path("link"));
    for (const path of [project.path("link"), project.dir]) {
      expect(await thrown(redactor.restore(HIDDEN, path))).toBeInstanceOf(ToolFailedError);
    }
  });

  test("under the key of another user", async () => {
    await using project = await tempProject({ a: TOKEN });
    const other = await createRedactor({ key: new Uint8Array(32).fill(9) });
    expect(await thrown(other.restore(HIDDEN, project.path("a")))).toBeInstanceOf(InvalidInputError);
  });
});
