import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import iconv from "iconv-lite";
import { deepTest, eachOrDeep } from "../../../support/deep.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { failure, fileTools } from "../call-tool.ts";

type Case = { readonly label: string; readonly comments: readonly [string, string, string]; readonly word: string };

const CASES: Readonly<Record<string, Case>> = {
  shift_jis: {
    label: "Shift_JIS",
    comments: ["設定ファイルを読み込んで確認する", "表示ソフトを終了する場合", "完了しました"],
    word: "能力の一覧表",
  },
  "euc-jp": {
    label: "EUC-JP",
    comments: ["設定ファイルを読み込んで確認する", "ファイルが無い場合は例外を投げる", "完了しました"],
    word: "一覧表",
  },
  gbk: {
    label: "GBK",
    comments: ["从文件读取配置并检查", "如果文件不存在则抛出异常", "完成，可以继续"],
    word: "镕化列表",
  },
  gb18030: {
    label: "GB18030",
    comments: ["从文件读取配置并检查𠮷", "如果文件不存在则抛出异常", "完成，可以继续"],
    word: "𠮷化列表",
  },
  "koi8-r": {
    label: "KOI8-R",
    comments: ["Читает настройки из файла и проверяет их", "Если файла нет, бросает исключение", "Готово, можно"],
    word: "Ещё список",
  },
  "euc-kr": {
    label: "EUC-KR",
    comments: ["파일에서 설정을 읽고 확인한다", "파일이 없으면 예외를 던진다", "완료되었습니다"],
    word: "목록을 만든다",
  },
  big5: {
    label: "Big5",
    comments: ["從檔案讀取設定並檢查", "如果檔案不存在則拋出例外", "完成，可以繼續成功"],
    word: "許蓋功",
  },
  "windows-1250": {
    label: "Windows-1250",
    comments: ["Načte konfiguraci ze souboru a ověří ji", "Pokud soubor neexistuje, vyhodí výjimku", "Hotovo, můžete"],
    word: "Šťastný kůň",
  },
  "windows-1251": {
    label: "Windows-1251",
    comments: ["Читает настройки из файла и проверяет их", "Если файла нет, бросает исключение", "Готово, можно"],
    word: "Ещё список",
  },
  "windows-1252": {
    label: "Windows-1252",
    comments: [
      "Lädt die Einstellungen aus der Datei und prüft sie – „genau“",
      "Wenn die Datei nicht existiert, gibt es für den Aufrufer eine Ausnahme",
      "Fertig, Sie können fortfahren",
    ],
    word: "Größe in €",
  },
};

const textWith = ([a, b, c]: Case["comments"], end: string) =>
  ["import os", "", `# ${a}`, "def load(path):", `    # ${b}`, "    return open(path)", `print("${c}")`, ""].join(end);

describe.each(Object.entries(CASES))("a file in %s", (name, { label, comments, word }) => {
  eachOrDeep("is read, and edited with every other byte unchanged (line end %j)", 1, ["\n", "\r\n"], async (end) => {
    const text = textWith(comments, end);
    await using project = await tempProject({ "a.py": iconv.encode(text, name) });
    const tools = fileTools(project.dir);
    const read = await tools.read("a.py");
    for (const comment of comments) expect(read).toContain(comment);
    expect(read).toContain(`encoding: ${label}; Edit keeps it`);
    const edits = [
      { old_string: "    return open(path)", new_string: `    # ${word}\n    return None` },
      { old_string: comments[2], new_string: "done" },
    ];
    await tools.edit({ file_path: "a.py", edits });
    const expected = text
      .replace("    return open(path)", `    # ${word}${end}    return None`)
      .replace(comments[2], "done");
    expect(readFileSync(project.path("a.py"))).toEqual(Buffer.from(iconv.encode(expected, name)));
  });

  // GB18030 has a place for every letter.
  test.if(name !== "gb18030")("refuses a letter that the encoding lacks, and keeps the file", async () => {
    const bytes = iconv.encode(textWith(comments, "\n"), name);
    await using project = await tempProject({ "a.py": bytes });
    const tools = fileTools(project.dir);
    await tools.read("a.py");
    const failed = failure(tools.edit({ file_path: "a.py", old_string: "import os", new_string: "import os # 😀" }));
    expect(await failed).toContain(`The file is ${label}, which has no "😀"`);
    expect(readFileSync(project.path("a.py"))).toEqual(Buffer.from(bytes));
  });
});

describe("a file whose encoding is not certain", () => {
  test.each([
    ["two Japanese letters", Buffer.from(iconv.encode("# 注意\nvalue = 1\n", "shift_jis"))],
    ["one word", Buffer.from("caf\xe9\nvalue = 1\n", "latin1")],
    [
      "German of DOS",
      Buffer.from(iconv.encode("# Lädt die Größe für den Benutzer, prüft Straßen\nvalue = 1\n", "cp850")),
    ],
    ...[
      "Die Straße kostet 5 € mehr, wird später geändert und für Sie überprüft",
      "Le cœur de l'école française a été opéré à l'œuvre",
    ].map(
      (line) =>
        [
          `a text in ISO-8859-15: ${line}`,
          Buffer.from(iconv.encode(`# ${line}\n`.repeat(6).concat("value = 1\n"), "iso-8859-15")),
        ] as const,
    ),
    [
      "every byte",
      Buffer.concat([Buffer.from(Array.from({ length: 128 }, (_, at) => 0x80 + at)), Buffer.from("\nvalue = 1\n")]),
    ],
  ])("is called unknown, and an edit keeps its bytes: %s", async (_, bytes) => {
    await using project = await tempProject({ "a.py": bytes });
    const tools = fileTools(project.dir);
    const read = await tools.read("a.py");
    expect(read).toContain("unknown encoding are shown as �; Edit keeps them");
    await tools.edit({ file_path: "a.py", old_string: "value = 1", new_string: "value = 2" });
    const expected = Buffer.from(bytes.toString("latin1").replace("value = 1", "value = 2"), "latin1");
    expect(readFileSync(project.path("a.py"))).toEqual(expected);
    await tools.read("a.py");
    const failed = failure(tools.edit({ file_path: "a.py", old_string: "value = 2", new_string: "é" }));
    expect(await failed).toContain('encoding of the file is unknown, so "é" can\'t be added');
  });
});

deepTest("a text in an old encoding that is longer than the detection's sample is edited byte for byte", async () => {
  const text = textWith(CASES["gbk"]?.comments ?? ["", "", ""], "\n").repeat(2_000);
  await using project = await tempProject({ "a.py": iconv.encode(`${text}last = 1\n`, "gbk") });
  const tools = fileTools(project.dir);
  await tools.read({ file_path: "a.py", offset: 13_990 });
  await tools.edit({ file_path: "a.py", old_string: "last = 1", new_string: "last = '完成'" });
  expect(readFileSync(project.path("a.py")).equals(iconv.encode(`${text}last = '完成'\n`, "gbk"))).toBe(true);
});

deepTest("a file as long as the detection's sample keeps bytes of its last line that have a second form", async () => {
  const text = textWith(CASES["shift_jis"]?.comments ?? ["", "", ""], "\n").repeat(2_000);
  const lines = Buffer.from(iconv.encode(text, "shift_jis"));
  const head = lines.subarray(0, lines.lastIndexOf("\n", 65_000) + 1);
  // The first letter of NEC's row 13 of IBM's letters, which Shift_JIS usually writes as FA 5C.
  const tail = Buffer.from([0xed, 0x40]);
  const bytes = Buffer.concat([head, Buffer.alloc(65_536 - head.length - tail.length, "#"), tail]);
  await using project = await tempProject({ "a.py": bytes });
  const tools = fileTools(project.dir);
  await tools.read("a.py");
  await tools.edit({
    file_path: "a.py",
    edits: [{ old_string: "import os", new_string: "import re", replace_all: true }],
  });
  const expected = Buffer.from(bytes.toString("latin1").replaceAll("import os", "import re"), "latin1");
  expect(readFileSync(project.path("a.py")).equals(expected)).toBe(true);
});

test("Write over other line ends names the change", async () => {
  await using project = await tempProject({ "a.txt": "one\r\ntwo\r\n", "c.txt": "one\n" });
  const tools = fileTools(project.dir);
  for (const name of ["a.txt", "c.txt"]) await tools.read(name);
  const write = (name: string, content: string) => tools.write(name, content);
  expect(await write("a.txt", "one\nthree\n")).toContain("Its lines ended in CRLF and end in LF now.");
  expect(await write("c.txt", "one\nthree\n")).not.toContain("ended in");
  writeFileSync(project.path("a.txt"), "x\r\n");
  await tools.read("a.txt");
  expect(await write("a.txt", "y\r\n")).not.toContain("ended in");
});
