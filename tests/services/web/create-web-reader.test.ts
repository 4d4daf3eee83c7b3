import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { WebDocument } from "../../../src/contracts/web.ts";
import { createWebReader, KEPT_MS, type WebReaderDeps } from "../../../src/services/web/create-web-reader.ts";
import { eventually } from "../../support/eventually.ts";
import { SELF, testDocuments } from "../../support/test-documents.ts";
import { textPdf } from "../../support/text-pdf.ts";
import { DOCUMENTATION_PAGES } from "../../support/web-pages/documentation-pages.ts";
import { webServer } from "../../support/web-server.ts";

/** The running children of this process that convert pages. */
function children(): readonly string[] {
  const pids = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").split(" ");
  const commandOf = (pid: string) =>
    existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
  return pids.filter((pid) => pid !== "" && commandOf(pid).includes("__convert-page"));
}

const never = new AbortController().signal;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

function readerAt(port: number, more: Partial<WebReaderDeps> = {}) {
  let now = 1_000;
  const reader = createWebReader({
    clock: { now: () => now, monotonicMs: () => now },
    environment: {},
    userAgent: "Quoll/test",
    selfCommand: SELF,
    documents: testDocuments,
    ...more,
  });
  const read = (path = "") =>
    reader.read(reader.address(`http://127.0.0.1:${port}/${path}`), () => true, never) as Promise<WebDocument>;
  const pass = (ms: number) => {
    now += ms;
  };
  return { read, pass };
}

const serving = (
  type: string | undefined,
  body: string | Uint8Array,
  status = 200,
  headers: Record<string, string> = {},
) =>
  webServer((_, response) =>
    response.writeHead(status, { ...(type !== undefined && { "content-type": type }), ...headers }).end(body),
  );

test("a page becomes Markdown with its title and outline", async () => {
  const [page] = DOCUMENTATION_PAGES;
  await using server = await serving("text/html; charset=utf-8", page?.html ?? "");
  const { title, text, outline, mediaType, notes } = await readerAt(server.port).read("guide/page");
  expect({ title, mediaType, notes }).toEqual({ title: "Install | Tool", mediaType: "text/html", notes: [] });
  expect(outline.map((item) => item.text)).toEqual(["Install the tool", "What you need"]);
  expect(text).toContain("```ts\nexport default {\n");
});

test.each([
  ["application/json", '{\n "a": [1,  2] }'],
  ["text/plain", "a\n  b\t c"],
  ["text/x-python", "def f():\n    return '<b>'"],
  ["application/xml", "<a>\n <b/>\n</a>"],
  ["text/markdown", "# A\n\nb *c*"],
  [undefined, "just text"],
])("a text of type %s comes as it is", async (type, body) => {
  await using server = await serving(type, body);
  expect((await readerAt(server.port).read()).text).toBe(body);
});

test("a page without a type is a page, and its source, sent as plain text, is a text", async () => {
  const source = "<!DOCTYPE html><html><body><h1>A</h1><p>b</p></body></html>";
  await using untyped = await serving(undefined, source);
  expect((await readerAt(untyped.port).read()).text).toBe("# A\n\nb");
  await using plain = await serving("text/plain", source);
  expect((await readerAt(plain.port).read()).text).toBe(source);
});

test("a large text comes as it is, decoded by the child", async () => {
  const line = "Größe der Datei \u001b[31mrot\u001b[0m\n";
  await using server = await serving("text/plain; charset=latin1", Buffer.from(line.repeat(30_000), "latin1"));
  expect((await readerAt(server.port).read()).text).toBe("Größe der Datei rot\n".repeat(30_000));
});

test("an image comes as an image", async () => {
  await using server = await serving("application/octet-stream", PNG);
  expect(await readerAt(server.port).read()).toMatchObject({
    kind: "image",
    mediaType: "image/png",
    bytes: PNG,
  } as never);
});

describe("the encoding of a page", () => {
  const encoded = (words: string, charset: string): Buffer => {
    const table = new Map<string, readonly number[]>();
    for (let lead = 0; lead < 256; lead += 1) {
      for (let tail = 0; tail < 256; tail += 1) {
        const text = new TextDecoder(charset).decode(Uint8Array.of(lead, tail));
        if ([...text].length === 1 && !table.has(text)) table.set(text, [lead, tail]);
      }
      const text = new TextDecoder(charset).decode(Uint8Array.of(lead));
      if ([...text].length === 1) table.set(text, [lead]);
    }
    return Buffer.from([...words].flatMap((letter) => table.get(letter) ?? []));
  };
  const JAPANESE = "<p>設定の手引きを読む</p>".repeat(20);
  const RUSSIAN = "<p>Установка программы на новый компьютер</p>".repeat(20);

  test.each([
    ["its header", "text/html; charset=Shift_JIS", encoded(JAPANESE, "shift_jis"), "設定の手引きを読む"],
    [
      "its meta element",
      "text/html",
      Buffer.concat([Buffer.from('<meta charset="euc-jp">'), encoded(JAPANESE, "euc-jp")]),
      "設定の手引きを読む",
    ],
    [
      "its old meta element",
      "text/html",
      Buffer.concat([
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">'),
        encoded(RUSSIAN, "windows-1251"),
      ]),
      "Установка программы",
    ],
    ["its bytes (Shift_JIS)", "text/html", encoded(JAPANESE, "shift_jis"), "設定の手引きを読む"],
    ["its bytes (windows-1251)", "text/html", encoded(RUSSIAN, "windows-1251"), "Установка программы"],
    ["its bytes (UTF-8)", "text/html", Buffer.from(JAPANESE), "設定の手引きを読む"],
    [
      "its byte order mark, against the header",
      "text/html; charset=latin1",
      Buffer.from(`\ufeff${JAPANESE}`),
      "設定の手引きを読む",
    ],
    [
      "its bytes, if the header names no encoding",
      "text/html; charset=klingon",
      Buffer.from(JAPANESE),
      "設定の手引きを読む",
    ],
    ["UTF-16 with its mark", "text/html", Buffer.from(`\ufeff${RUSSIAN}`, "utf16le"), "Установка программы"],
  ])("is told by %s", async (_, type, body, words) => {
    await using server = await serving(type, body);
    expect((await readerAt(server.port).read()).text).toContain(words);
  });
});

describe("an answer that can't be shown", () => {
  test.each([
    [404, {}, "text/html", "no such page"],
    [401, {}, "text/html", "needs a login"],
    [403, { "cf-mitigated": "challenge" }, "text/html", "captcha"],
    [429, { "retry-after": "30" }, "text/html", "wait 30 s"],
    [500, {}, "application/json", '"{\\"error\\": \\"bad field\\"}"'],
    [304, {}, "text/html", "answered 304"],
  ])("with status %d says why in one line", async (status, headers, type, words) => {
    await using server = await serving(type, status === 304 ? "" : '{"error": "bad field"}', status, headers);
    const failure = await readerAt(server.port)
      .read()
      .catch((error: Error) => error.message);
    expect(failure).toContain(words);
    expect(String(failure)).not.toContain("\n");
  });

  test.each([
    ["a broken PDF", "application/pdf", Buffer.from("%PDF-1.7\n..."), "is damaged"],
    ["a PDF without text", "application/pdf", textPdf(2, () => "", 0), "is a PDF document without text"],
    ["an archive", "application/zip", Buffer.from([80, 75, 3, 4, 0, 0, 0, 1]), "binary data (application/zip)"],
    ["nothing", "text/html", Buffer.alloc(0), "empty page"],
  ])("(%s) is refused in one line", async (_, type, body, words) => {
    await using server = await serving(type, body);
    await expect(readerAt(server.port).read()).rejects.toThrow(words);
  });
});

describe("a document", () => {
  const fixture = (name: string) => readFileSync(resolve(import.meta.dir, "../../support/documents", name));

  test("of pages becomes text with its pages as the outline", async () => {
    await using server = await serving(
      "application/pdf",
      textPdf(30, (page) => `Words of page ${page}.`, 1),
    );
    const { text, outline, mediaType, notes } = await readerAt(server.port).read("a.pdf");
    expect({ mediaType, notes, pages: outline.length }).toEqual({ mediaType: "application/pdf", notes: [], pages: 30 });
    expect(text).toStartWith("## page 1\n\nWords of page 1.\n\n## page 2\n\n");
    expect(text.slice(outline[29]?.offset)).toBe("## page 30\n\nWords of page 30.");
  });

  test("tells about itself inside its text, because a stranger wrote that too", async () => {
    await using server = await serving("application/pdf", fixture("form.pdf"));
    const { text, notes } = await readerAt(server.port).read();
    expect(text).toContain("(About the file: title: Order form; embedded files, not opened: prices.csv;");
    expect(notes).toEqual([]);
  });

  test("of an office program becomes text", async () => {
    await using server = await serving("application/octet-stream", fixture("report.docx"));
    const { text, outline } = await readerAt(server.port).read("report.docx");
    expect(text).toStartWith("# Harvest report");
    expect(outline.map((item) => item.text)).toEqual(["Harvest report", "Varieties", "Numbers"]);
  });
});

describe("a page that was read", () => {
  test("is kept for a quarter of an hour, with and without a place in it", async () => {
    await using server = await serving("text/plain", "text");
    const { read, pass } = readerAt(server.port);
    expect((await read("a")).isKept).toBe(false);
    pass(KEPT_MS - 1);
    expect((await read("a#part")).isKept).toBe(true);
    expect((await read("a?x")).isKept).toBe(false);
    pass(2);
    expect((await read("a")).isKept).toBe(false);
    expect(server.requests).toHaveLength(3);
  });

  test("is given up for newer ones when they grow too large together", async () => {
    await using server = await serving("text/plain", "x".repeat(9_000));
    const { read } = readerAt(server.port, { keptBytes: 50_000 });
    for (const path of ["a", "b", "c"]) await read(path);
    expect((await read("c")).isKept).toBe(true);
    expect((await read("a")).isKept).toBe(false);
  });
});

describe("the child that converts a page", () => {
  test("ends with the call that is interrupted", async () => {
    await using server = await serving("text/html", "<div>".repeat(60_000));
    const interrupt = new AbortController();
    const clock = { now: () => 1, monotonicMs: () => 1 };
    const about = { environment: {}, userAgent: "Quoll/test", selfCommand: SELF, documents: testDocuments };
    const reader = createWebReader({ clock, ...about });
    const address = reader.address(`http://127.0.0.1:${server.port}/`);
    const answer = reader.read(address, () => true, interrupt.signal).catch((error: Error) => error.message);
    await eventually("the child runs", () => children().length > 0);
    interrupt.abort(new Error("stopped"));
    expect(await answer).toBe("stopped");
    await eventually("the child is gone", () => children().length === 0);
  });

  const nested = "<ul><li>".repeat(3_000) + "<p>deep</p>".repeat(1_000);

  test("that meets its time gives way to one that makes the text, and both limits are said", async () => {
    await using server = await serving("text/html", `<p>${"start ".repeat(300_000)}</p>${nested}`);
    const failure = await readerAt(server.port, { convertBytes: 1_000_000 })
      .read()
      .catch((error: Error) => error.message);
    expect(failure).toMatch(/could not be turned into text within .* MB of memory and \d+ s\./);
  });

  test("whose text is too long gives way to one that makes the text alone, which is said", async () => {
    // Each short link becomes a long one.
    const links = '<a href="x">y</a> '.repeat(2_000);
    await using server = await webServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(links),
    );
    const { text, notes } = await readerAt(server.port, { convertOutputBytes: 100_000 }).read(
      `${"long/".repeat(100)}page`,
    );
    expect(notes.join()).toContain("text alone");
    expect(text.startsWith("y y y")).toBe(true);
  });
});
