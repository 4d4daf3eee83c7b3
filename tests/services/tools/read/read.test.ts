import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { imageHeader } from "../../../../src/contracts/image-header.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { failure, fileTools, runCall } from "../call-tool.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("text", () => {
  test("is shown with numbers, tabs and nothing else", async () => {
    await using project = await tempProject({ "a.txt": "one\n\n  three\n" });
    expect(await fileTools(project.dir).read("a.txt")).toBe("     1\tone\n     2\t\n     3\t  three");
  });

  test("takes an absolute path, a relative one, ~/ and a link, and names links to the permission engine", async () => {
    await using project = await tempProject({ "a.txt": "hi\n" });
    symlinkSync(project.path("a.txt"), project.path("link"));
    const tools = fileTools(project.dir, { home: project.dir });
    for (const path of ["a.txt", "./x/../a.txt", "~/a.txt", project.path("a.txt")]) {
      const call = await tools.prepare.read({ file_path: path });
      expect({ subjects: call.subjects, level: call.level, safe: call.concurrencySafe, title: call.title }).toEqual({
        subjects: [{ action: "read", path: project.path("a.txt") }],
        level: "read",
        safe: true,
        title: "a.txt",
      });
    }
    expect((await tools.prepare.read({ file_path: "link" })).subjects).toEqual([
      { action: "read", path: project.path("a.txt"), given: project.path("link") },
    ]);
  });

  test("offset and limit select a window, and the answer says how to continue", async () => {
    await using project = await tempProject({ "a.txt": numbers(10) });
    const { read } = fileTools(project.dir);
    expect(await read({ file_path: "a.txt", offset: 3, limit: 2 })).toBe(
      "     3\tline 3\n     4\tline 4\n[lines 3–4 of a file of 10 lines, 71 bytes (limit 2); go on with offset: 5]",
    );
    expect(await read({ file_path: "a.txt", offset: 9 })).toBe("     9\tline 9\n    10\tline 10");
    expect(await read({ file_path: "a.txt", offset: 11 })).toBe("Line 11 is past the end: a.txt has 10 lines.");
    expect(await read({ file_path: "a.txt", offset: 0, limit: 1 })).toStartWith("     1\tline 1\n");
  });

  test("a part of a file, and a file that is unchanged, are facts of the result", async () => {
    await using project = await tempProject({ "a.txt": numbers(10) });
    const { prepare } = fileTools(project.dir);
    const shows = async (input: Readonly<Record<string, unknown>>) => (await runCall(await prepare.read(input))).shows;
    expect(await shows({ file_path: "a.txt", limit: 2 })).toBe("part");
    expect(await shows({ file_path: "a.txt" })).toBeUndefined();
    expect(await shows({ file_path: "a.txt" })).toBe("nothing");
  });

  test("aliases and numbers sent as strings are taken and named", async () => {
    await using project = await tempProject({ "a.txt": numbers(3) });
    const call = await fileTools(project.dir).prepare.read({ path: "a.txt", offset: "2", limit: null });
    expect({ input: call.input, corrections: call.corrections.length, title: call.title }).toEqual({
      input: { file_path: "a.txt", offset: 2 },
      corrections: 3,
      title: "a.txt:2",
    });
  });

  test("2,000 lines are the default", async () => {
    await using project = await tempProject({ "a.txt": numbers(2_500) });
    const text = await fileTools(project.dir).read("a.txt");
    expect(text.split("\n").at(-1)).toBe(
      "[lines 1–2,000 of a file of 2,500 lines, 23,893 bytes (limit 2,000); go on with offset: 2001]",
    );
  });

  test("about 25,000 tokens are the most, and the next offset is where it stopped", async () => {
    await using project = await tempProject({ "a.txt": `${"x".repeat(1_000)}\n`.repeat(300) });
    const text = await fileTools(project.dir).read("a.txt");
    expect(text.length).toBeLessThan(101_000);
    const lines = text.split("\n");
    expect(lines.at(-1)).toBe(
      "[lines 1–99 of a file of 300 lines, 300,300 bytes (about 25,000 tokens are the most for one call); go on with offset: 100]",
    );
    expect(lines).toHaveLength(100);
  });

  test("one line of 10 MB is cut, said, and costs little", async () => {
    await using project = await tempProject({ "a.txt": `${"é".repeat(5_000_000)}\nend\n` });
    const before = process.memoryUsage().rss;
    const lines = (await fileTools(project.dir).read("a.txt")).split("\n");
    expect(lines[0]).toBe(`     1\t${"é".repeat(2_000)}… [9,996,000 more bytes in this line]`);
    expect(lines[1]).toBe("     2\tend");
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test("an emoji on the cut is left out whole", async () => {
    await using project = await tempProject({ "a.txt": `x${"😀".repeat(1_500)}\n` });
    const [line = ""] = (await fileTools(project.dir).read("a.txt")).split("\n");
    expect(line).toBe(`     1\tx${"😀".repeat(999)}… [2,004 more bytes in this line]`);
  });

  test("line 5 of a file of 1 GB comes at once and in little memory", async () => {
    await using project = await tempProject({ "big.txt": numbers(20_000) });
    truncateSync(project.path("big.txt"), 1024 ** 3);
    const before = process.memoryUsage().rss;
    const startedAt = performance.now();
    const text = await fileTools(project.dir).read({ file_path: "big.txt", offset: 5, limit: 1 });
    expect(text).toBe(
      "     5\tline 5\n[lines 5–5 of a file of 1,073,741,824 bytes, lines not counted (limit 1); go on with offset: 6]",
    );
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test("an empty file is called empty, and the result names a missing last newline", async () => {
    await using project = await tempProject({ empty: "", "a.txt": "x" });
    const { read } = fileTools(project.dir);
    expect(await read("empty")).toBe("empty is empty (0 bytes).");
    expect(await read("a.txt")).toBe("     1\tx\n[no newline at the end of the file]");
  });

  test("a result is never spilled to a file", async () => {
    await using project = await tempProject({ "a.txt": "x\n" });
    const result = await fileTools(project.dir).result("read", { file_path: "a.txt" });
    expect({ exempt: result.exemptFromSpill, display: result.display }).toEqual({
      exempt: true,
      display: { kind: "summary", text: "1 line" },
    });
  });

  test("an abort ends the read with the abort's own reason", async () => {
    await using project = await tempProject({ "a.txt": "x\n" });
    const abort = new AbortController();
    const call = await fileTools(project.dir).prepare.read({ file_path: "a.txt" }, abort.signal);
    abort.abort(new Error("Esc"));
    expect(await failure(runCall(call))).toBe("Esc");
  });
});

describe("encodings", () => {
  const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();
  test.each([
    ["UTF-8 with a mark", Buffer.from("\ufeffä1\n2\n"), "encoding: UTF-8 with a byte order mark; Edit keeps it"],
    ["UTF-16 LE with a mark", Buffer.from("\ufeffä1\n2\n", "utf16le"), "encoding: UTF-16 LE; Edit keeps it"],
    ["UTF-16 BE with a mark", utf16be("\ufeffä1\n2\n"), "encoding: UTF-16 BE; Edit keeps it"],
    ["UTF-16 LE without one", Buffer.from("ä1\n2\n", "utf16le"), "encoding: UTF-16 LE; Edit keeps it"],
    ["UTF-16 BE without one", utf16be("ä1\n2\n"), "encoding: UTF-16 BE; Edit keeps it"],
    ["CRLF", Buffer.from("ä1\r\n2\r\n"), "lines end in CRLF; Edit keeps that"],
  ])("%s is read and said", async (_, bytes, note) => {
    await using project = await tempProject({ "a.txt": bytes });
    expect(await fileTools(project.dir).read("a.txt")).toBe(`     1\tä1\n     2\t2\n[${note}]`);
  });

  test("lines that end in CR alone are one line, and that is said", async () => {
    await using project = await tempProject({ "a.txt": "one\rtwo\r" });
    expect(await fileTools(project.dir).read("a.txt")).toContain("[lines end in CR alone and are read as one: ");
  });

  test("UTF-16 is put together over the edges of pieces", async () => {
    const text = `${"😀ä\n".repeat(100_000)}end\n`;
    await using project = await tempProject({ "a.txt": Buffer.from(`\ufeff${text}`, "utf16le") });
    expect(await fileTools(project.dir).read({ file_path: "a.txt", offset: 99_999 })).toBe(
      " 99999\t😀ä\n100000\t😀ä\n100001\tend\n[encoding: UTF-16 LE; Edit keeps it]",
    );
  });

  test("stray bytes in UTF-8 are shown and said", async () => {
    const bytes = Buffer.concat([Buffer.from("größe\n"), Buffer.from([0x61, 0xff, 0x0a])]);
    await using project = await tempProject({ "a.txt": bytes });
    expect(await fileTools(project.dir).read("a.txt")).toBe(
      "     1\tgröße\n     2\ta�\n[bytes of an unknown encoding are shown as �; Edit keeps them]",
    );
  });
});

describe("unchanged", () => {
  test("a repeated read says unchanged once; a third read gets the text", async () => {
    await using project = await tempProject({ "a.txt": numbers(3) });
    const { read } = fileTools(project.dir);
    const first = await read("a.txt");
    expect(await read("a.txt")).toBe("a.txt is unchanged since you read these lines; what you were shown still holds.");
    expect(await read("a.txt")).toBe(first);
  });

  test("another range, a changed file and a file of Write's or Edit's are shown", async () => {
    await using project = await tempProject({ "a.txt": numbers(3) });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    expect(await tools.read({ file_path: "a.txt", offset: 2 })).toStartWith("     2\tline 2");
    appendFileSync(project.path("a.txt"), "more\n");
    expect(await tools.read("a.txt")).toContain("more");
    await tools.edit({ file_path: "a.txt", old_string: "more", new_string: "less" });
    expect(await tools.read("a.txt")).toContain("less");
    await tools.write("a.txt", "new\n");
    expect(await tools.read("a.txt")).toBe("     1\tnew");
  });

  test("a touched time alone is no change, and the same time and size with other content is one", async () => {
    await using project = await tempProject({ "a.txt": "aaa\n" });
    const { read } = fileTools(project.dir);
    utimesSync(project.path("a.txt"), 1_000, 1_000);
    await read("a.txt");
    utimesSync(project.path("a.txt"), 2_000, 2_000);
    expect(await read("a.txt")).toContain("unchanged");
    await project.write("a.txt", "bbb\n");
    utimesSync(project.path("a.txt"), 2_000, 2_000);
    expect(await read("a.txt")).toBe("     1\tbbb");
  });

  test("a cleared tracker shows everything again", async () => {
    await using project = await tempProject({ "a.txt": "x\n" });
    const tools = fileTools(project.dir);
    await tools.read("a.txt");
    tools.tracker.returnTo([]);
    expect(await tools.read("a.txt")).toBe("     1\tx");
  });

  test("a moved conversation knows what its results name, and each Read shows the lines again", async () => {
    await using project = await tempProject({ "a.txt": "x\n" });
    const tools = fileTools(project.dir);
    const { knows } = await tools.result("read", { file_path: "a.txt" });
    tools.tracker.returnTo([], knows ? [knows] : []);
    expect(tools.tracker.recent(9)).toEqual([project.path("a.txt")]);
    expect(await tools.read("a.txt")).toBe("     1\tx");
  });
});

describe("a path that is no text file", () => {
  test("a damaged image is an error about the image, and words that end in NUL are binary", async () => {
    await using project = await tempProject({
      "broken.png": Buffer.from("\x89PNG\r\n\x1a\nnothing of an image\n", "latin1"),
      "words.bin": "abc\0def\0",
    });
    const { read } = fileTools(project.dir);
    expect(await failure(read("broken.png"))).toMatch(/broken\.png .*(damaged|image)/);
    expect(await failure(read("words.bin"))).toContain("words.bin is binary data (8 bytes), not text.");
  });

  test("binary data is named with its kind and size", async () => {
    await using project = await tempProject({
      "a.bin": Buffer.from([1, 2, 0, 3]),
      "a.gz": Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
      "a.wasm": Buffer.from("\0asm\x01\0\0\0"),
    });
    const { read } = fileTools(project.dir);
    expect(await failure(read("a.bin"))).toBe(
      'a.bin is binary data (4 bytes), not text. `file "a.bin"` or `xxd "a.bin" | head` in Bash say more.',
    );
    expect(await failure(read("a.gz"))).toStartWith("a.gz is gzip data (8 bytes)");
    expect(await failure(read("a.wasm"))).toStartWith("a.wasm is a WebAssembly module (8 bytes)");
  });

  test("a missing file names its neighbours and namesakes, never a hidden one or one outside", async () => {
    await using project = await tempProject({
      "src/parser.ts": "",
      "src/parsers.ts": "",
      "lib/deep/main.go": "",
      "src/parse.key": "",
    });
    const { read } = fileTools(project.dir, { isHidden: (path) => path.endsWith(".key") });
    expect(await failure(read("src/Parser.js"))).toBe(
      "src/Parser.js does not exist. Did you mean src/parser.ts or src/parsers.ts?",
    );
    expect(await failure(read("main.go"))).toBe("main.go does not exist. Did you mean lib/deep/main.go?");
    expect(await failure(read("zzz"))).toBe(
      `zzz does not exist. Nothing of a similar name was found; the working folder is ${project.dir}.`,
    );
    const inner = fileTools(project.path("lib"));
    expect(await failure(inner.read("../src/parser.tsx"))).toBe(`${project.path("src/parser.tsx")} does not exist.`);
  });

  test("a folder lists what it holds", async () => {
    await using project = await tempProject({ "src/a.ts": "", "src/b/c.ts": "", "src/.env": "" });
    const { read } = fileTools(project.dir, { isHidden: (path) => path.endsWith(".env") });
    expect(await read("src")).toBe("src is a folder with 2 names:\na.ts\nb/");
    mkdirSync(project.path("none"));
    expect(await read("none")).toBe("none is an empty folder.");
  });

  test("a large folder comes in pages", async () => {
    const names = Array.from({ length: 450 }, (_, at) => `f${String(at).padStart(3, "0")}`);
    await using project = await tempProject(Object.fromEntries(names.map((name) => [`many/${name}`, ""])));
    const { read } = fileTools(project.dir);
    const first = (await read("many")).split("\n");
    expect([first.length, first[1], first.at(-1)]).toEqual([202, "f000", "[250 more; go on with offset 201]"]);
    const last = (await read({ file_path: "many", offset: 401, limit: 100 })).split("\n");
    expect([last.length, last[1], last.at(-1)]).toEqual([51, "f400", "f449"]);
    expect(await read({ file_path: "many", offset: 900 })).toContain("behind the last name");
  });

  test("reveals nothing of a denied file before the rule has decided", async () => {
    await using project = await tempProject({});
    const { prepare } = fileTools(project.dir, { isHidden: () => true });
    const call = await prepare.read({ file_path: "secret" });
    expect(call.subjects).toEqual([{ action: "read", path: project.path("secret") }]);
  });

  test("devices, FIFOs, sockets and other processes' memory are never opened", async () => {
    await using project = await tempProject({});
    const { read } = fileTools(project.dir);
    expect(Bun.spawnSync(["mkfifo", project.path("fifo")]).exitCode).toBe(0);
    const server = createServer().listen(project.path("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      const never = "is a device, a FIFO or a socket, not a file: it is never opened.";
      expect(await failure(read("fifo"))).toBe(`${project.path("fifo")} ${never}`);
      expect(await failure(read("socket"))).toBe(`${project.path("socket")} ${never}`);
      expect(await failure(read("/dev/zero"))).toBe(`/dev/zero ${never}`);
    } finally {
      server.close();
    }
    const shared = "is not an ordinary file: reading it could hang or show another program's memory.";
    for (const name of ["mem", "environ"]) {
      expect(await failure(read(`/proc/self/${name}`))).toBe(`/proc/${process.pid}/${name} ${shared}`);
      expect(await failure(read(`/proc/${process.pid}/task/${process.pid}/${name}`))).toContain(shared);
    }
  });

  test("a file under /proc has no size and is read all the same", async () => {
    await using project = await tempProject({});
    expect(await fileTools(project.dir).read("/proc/self/status")).toContain("Name:");
  });

  test.each(["", "a\0b"])("the path %j is refused", async (path) => {
    await using project = await tempProject({});
    expect(await failure(fileTools(project.dir).read(path))).toMatch(/path/);
  });

  test("links in a circle and a path through a file get one line", async () => {
    await using project = await tempProject({ "a.txt": "" });
    symlinkSync("two", project.path("one"));
    symlinkSync("one", project.path("two"));
    const { read } = fileTools(project.dir);
    expect(await failure(read("one"))).toContain("circle");
    expect(await failure(read("a.txt/b"))).toMatch(/A part of the path .* is a file/);
  });
});

describe("a file that changes under the question", () => {
  test("a link put in the file's place is not followed", async () => {
    await using project = await tempProject({ "a.txt": "mine\n", secret: "secret\n" });
    const call = await fileTools(project.dir).prepare.read({ file_path: "a.txt" });
    unlinkSync(project.path("a.txt"));
    symlinkSync(project.path("secret"), project.path("a.txt"));
    expect(await failure(runCall(call))).toContain("changed while it was judged");
  });

  test("a link put in a folder's place is not followed", async () => {
    await using project = await tempProject({ "in/a.txt": "mine\n", "out/a.txt": "secret\n" });
    const call = await fileTools(project.dir).prepare.read({ file_path: "in/a.txt" });
    rmSync(project.path("in"), { recursive: true });
    symlinkSync(project.path("out"), project.path("in"));
    expect(await failure(runCall(call))).toContain("changed while it was judged");
  });

  test("a FIFO put in its place does not hang it", async () => {
    await using project = await tempProject({ "a.txt": "mine\n" });
    const call = await fileTools(project.dir).prepare.read({ file_path: "a.txt" });
    unlinkSync(project.path("a.txt"));
    Bun.spawnSync(["mkfifo", project.path("a.txt")]);
    expect(await failure(runCall(call))).toContain("FIFO");
  });
});

describe("images", () => {
  const png = (width: number, height: number, padding = 0) => {
    const bytes = Buffer.alloc(33 + padding);
    bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  };
  const gif = Buffer.from("GIF89a\x03\0\x02\0\0\0\0", "latin1");
  const jpeg = Buffer.from([
    0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc4, 0, 3, 0, 0xff, 0xc2, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0,
  ]);
  const webp = (chunk: string, body: number[]) =>
    Buffer.concat([
      Buffer.from(`RIFF\0\0\0\0WEBP${chunk}`, "latin1"),
      Buffer.from([0, 0, 0, 0, ...body, ...Array(20).fill(0)]),
    ]);

  test.each([
    ["png", png(3, 2), "image/png"],
    ["gif", gif, "image/gif"],
    ["jpeg", jpeg, "image/jpeg"],
    ["webp VP8X", webp("VP8X", [0, 0, 0, 0, 2, 0, 0, 1, 0, 0]), "image/webp"],
    ["webp VP8L", webp("VP8L", [0x2f, 2 | ((1 << 6) * 0), 0x40, 0, 0]), "image/webp"],
    ["webp VP8", webp("VP8 ", [0, 0, 0, 0x9d, 1, 0x2a, 3, 0, 2, 0]), "image/webp"],
  ])("a %s is shown as a picture, whatever its name", async (_, bytes, mediaType) => {
    await using project = await tempProject({ "picture.dat": bytes });
    expect(await fileTools(project.dir).result("read", { file_path: "picture.dat" })).toEqual({
      content: [
        { type: "text", text: `picture.dat: ${mediaType}, 3×2 pixels, ${bytes.length} bytes` },
        { type: "image", mediaType: mediaType as "image/png", data: bytes.toString("base64") },
      ],
      exemptFromSpill: true,
      display: { kind: "summary", text: "image, 3×2" },
    });
  });

  test("an image with too many pixels is shown smaller, and the result says so", async () => {
    await using project = await tempProject({ "wide.png": await new Bun.Image(bmp(2_000, 500)).png().bytes() });
    const { content } = await fileTools(project.dir).result("read", { file_path: "wide.png" });
    const [text, image] = Array.isArray(content) ? content : [];
    expect(text?.text).toStartWith("wide.png: image/png, 2000×500 pixels, ");
    expect(text?.text).toEndWith("; shown smaller, at most 1,568 pixels on the longest side");
    expect(imageHeader(Buffer.from(image?.data ?? "", "base64"))).toEqual({
      mediaType: "image/png",
      width: 1_568,
      height: 392,
    });
  });

  test("if an image is too large and can't be shrunk, the error names the size and the way out", async () => {
    await using project = await tempProject({
      "wide.png": png(4_000, 30),
      "heavy.png": png(30, 30, 4 * 1024 * 1024),
      "broken.png": png(0, 0),
    });
    const { read } = fileTools(project.dir);
    expect(await failure(read("wide.png"))).toContain("wide.png is an image of 4000×30 pixels");
    expect(await failure(read("wide.png"))).toContain("magick \"wide.png\" -resize '1568x1568>'");
    expect(await failure(read("heavy.png"))).toContain("heavy.png is an image of 30×30 pixels, 4,194,337 bytes");
    expect(await failure(read("broken.png"))).toBe("broken.png is a damaged image: its header gives no size.");
  });
});

test("a file that grows while it is read is taken as it was", async () => {
  await using project = await tempProject({});
  const descriptor = openSync(join(project.dir, "log"), "w");
  try {
    writeSync(descriptor, "one\n");
    const tools = fileTools(project.dir);
    expect(await tools.read("log")).toBe("     1\tone");
    writeSync(descriptor, "two\n");
    expect(await tools.read("log")).toBe("     1\tone\n     2\ttwo");
  } finally {
    closeSync(descriptor);
  }
});

/** A grey picture without compression. */
function bmp(width: number, height: number): Buffer {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height, 120);
  bytes.fill(0, 0, 54);
  bytes.write("BM");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}
