/*
 * Writes what real vim does with the keystrokes of tests/faces/repl/editor/vim/vim-cases.ts: `bun
 * scripts/record-vim-table.ts`. Needs vim 9; the tests only read the written table.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VIM_CASES } from "../tests/faces/repl/editor/vim/vim-cases.ts";

const TABLE = join(import.meta.dir, "../tests/faces/repl/editor/vim/vim-table.json");
const KEYS: Readonly<Record<string, string>> = { "<esc>": "\u001b", "<c-r>": "\u0012" };

const folder = mkdtempSync(join(tmpdir(), "vim-table-"));

/** What vim leaves: text, cursor (UTF-16 units) and the unnamed register. A vim of its own for each case. */
function record(text: string, keys: string): readonly [string, number, string] {
  const cursor = text.indexOf("¦");
  const plain = text.replace("¦", "");
  const [file, typed, out, script] = ["text", "keys", "out", "run.vim"].map((name) => join(folder, name));
  const bytes = Buffer.byteLength(plain.slice(0, cursor));
  writeFileSync(file ?? "", `${plain}\n`);
  writeFileSync(
    typed ?? "",
    keys.replace(/<[a-z-]+>/g, (name) => KEYS[name] ?? name),
  );
  writeFileSync(
    script ?? "",
    [
      "set encoding=utf-8 nocompatible shiftwidth=2 expandtab noautoindent nojoinspaces startofline",
      "set virtualedit= selection=inclusive whichwrap=b,s cpoptions=aABceFs nrformats= notildeop",
      `edit ${file}`,
      `call setreg('"', '')`,
      `execute "goto" ${bytes + 1}`,
      `let keys = readfile('${typed}', 'b')[0]`,
      "call feedkeys(keys, 'tx')",
      "let at = line2byte(line('.')) + col('.') - 2",
      `call writefile([json_encode([join(getline(1, '$'), "\\n"), at, getreg('"')])], '${out}')`,
      "qall!",
    ].join("\n"),
  );
  const vim = Bun.spawnSync(["vim", "-u", "NONE", "-i", "NONE", "-n", "-es", "-S", script ?? ""], {
    stdin: "ignore",
    timeout: 10_000,
  });
  if (vim.exitCode !== 0) throw new Error(`vim failed at ${JSON.stringify([text, keys])}: ${vim.exitCode}`);
  const [after = "", at = 0, register = ""] = JSON.parse(readFileSync(out ?? "", "utf8")) as [string, number, string];
  return [after, Buffer.from(after).subarray(0, at).toString().length, register];
}

const rows = VIM_CASES.map(([text, keys]) => [text, keys, ...record(text, keys)]);
writeFileSync(TABLE, `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
rmSync(folder, { recursive: true });
process.stdout.write(`wrote ${rows.length} cases\n`);
