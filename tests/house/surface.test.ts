import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BUILTIN_TOOLS } from "../../src/app/agent/builtin-tools.ts";
import { BUILTIN_COMMANDS } from "../../src/commands/builtin-commands.ts";
import type { Command } from "../../src/contracts/command.ts";
import type { ToolSpec } from "../../src/contracts/tool.ts";

setDefaultTimeout(60_000);

const SRC = join(import.meta.dir, "../../src");
const filesOf = (folder: string) => readdirSync(join(SRC, folder));

/** The exports of a folder's modules with this suffix, each with its file. */
async function exported<Value>(files: readonly string[], ending: string) {
  const found: { readonly file: string; readonly value: Value }[] = [];
  for (const file of files) {
    const module = (await import(join(SRC, file))) as Record<string, Value>;
    for (const [name, value] of Object.entries(module)) if (name.endsWith(ending)) found.push({ file, value });
  }
  return found;
}

test("each command is one file with a line in the list of commands, and each tool a folder with one in that of tools", async () => {
  const commandFiles = filesOf("commands").map((name) => `commands/${name}`);
  const commands = await exported<Command>(commandFiles, "Command");
  expect(commands.map(({ value }) => value.name).sort()).toEqual(BUILTIN_COMMANDS.map(({ name }) => name).sort());
  const toolFiles = filesOf("services/tools")
    .map((name) => `services/tools/${name}/spec.ts`)
    .filter((file) => existsSync(join(SRC, file)));
  const tools = await exported<ToolSpec>(toolFiles, "Spec");
  expect(tools.map(({ value }) => value.name).sort()).toEqual(BUILTIN_TOOLS.map(({ spec }) => spec.name).sort());
});
