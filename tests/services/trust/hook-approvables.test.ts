import { expect, test } from "bun:test";
import type { DeclaredHook } from "../../../src/contracts/declared-hook.ts";
import { hookApprovables, packageScripts } from "../../../src/services/trust/hook-approvables.ts";
import { tempProject } from "../../support/temp-project.ts";

const pack = (scripts: object) => JSON.stringify({ name: "x", scripts });
const SCRIPTS = {
  guard: "npm run inner && sh tools/check.sh",
  inner: "true",
  preguard: "x",
  test: "y",
  loop: "npm run loop",
};

test.each([
  ["npm run guard", ["guard", "inner", "preguard"]],
  ["cd . && npm --silent run -s 'guard' -- --fast", ["guard", "inner", "preguard"]],
  ["pnpm run loop; yarn run test", ["loop", "test"]],
  ["npm test", ["test"]],
  ["npm t", ["test"]],
  ["yarn guard", ["guard", "inner", "preguard"]],
  ["pnpm -s guard", ["guard", "inner", "preguard"]],
  ["bun loop || exit 2", ["loop"]],
  ["node --run loop", ["loop"]],
  ["npm --prefix . run guard", ["guard", "inner", "preguard"]],
  ["npm run gone; npm run toString", []],
  ["npm install; ./guard", []],
])("the scripts that %j runs are found", async (command, names) => {
  await using place = await tempProject({ "package.json": pack(SCRIPTS) });
  const keys = [...packageScripts(command, place.dir).keys()];
  expect(keys.sort()).toEqual(names.map((name) => `package.json (${name})`));
});

test("without a readable package.json there are none", async () => {
  await using place = await tempProject({ "package.json": "{broken" });
  expect(packageScripts("npm run guard", place.dir).size).toBe(0);
  expect(packageScripts("npm run guard", place.path("none")).size).toBe(0);
});

test("a hook that runs a script is other content when the script or its file changes, and no other script counts", async () => {
  await using place = await tempProject({ "package.json": pack(SCRIPTS), "tools/check.sh": "exit 2\n" });
  const hook: DeclaredHook = {
    ...{ event: "PreToolUse", file: place.path("settings.json"), layer: "project" },
    hook: { type: "command", command: "npm run guard" },
  };
  const content = () => hookApprovables([hook], place.dir)[0]?.content;
  const before = content();
  await place.write("package.json", pack({ ...SCRIPTS, test: "other" }));
  expect(content()).toBe(before);
  await place.write("package.json", pack({ ...SCRIPTS, inner: "exit 0" }));
  expect(content()).not.toBe(before);
  await place.write("package.json", pack(SCRIPTS));
  await place.write("tools/check.sh", "exit 0\n");
  expect(content()).not.toBe(before);
});

const contentOf = (command: string, root: string) => {
  const declared: DeclaredHook = {
    ...{ event: "PreToolUse", file: `${root}/settings.json`, layer: "project" },
    hook: { type: "command", command },
  };
  return hookApprovables([declared], root)[0]?.content;
};
const MAKEFILE =
  ".PHONY: guard other\n\nall: x\n\nguard: ready\n\t@sh tools/check.sh\n\nready:\n\tpython3 tools/ready.py\nother:\n\tcat src/a.c\n";
const FILES = {
  Makefile: MAKEFILE,
  "tools/Makefile": MAKEFILE,
  "tools/check.sh": "exit 2\n",
  "tools/ready.py": "1\n",
  "src/a.c": "int a;\n",
  justfile: "guard:\n\techo\n",
  "tools/package.json": pack({ guard: "sh check.sh" }),
  "package.json": pack({ check: "make guard" }),
};

test.each([
  ["make guard", ["Makefile", "tools/check.sh", "tools/ready.py"]],
  ["make -s -C tools guard || exit 2", ["tools/Makefile", "tools/check.sh"]],
  ["cd tools && make guard", ["tools/Makefile"]],
  ["npm run check", ["Makefile", "tools/check.sh", "tools/ready.py"]],
  ["just guard", ["justfile"]],
  ["npm --prefix tools run guard", ["tools/package.json", "tools/check.sh"]],
  ["yarn --cwd tools guard", ["tools/package.json", "tools/check.sh"]],
  ["sh tools/*.sh", ["tools/check.sh", "tools/new.sh"]],
  ["for f in tools/*.py; do python3 $f || exit 2; done", ["tools/ready.py", "tools/new.py"]],
  ["run-parts tools", ["tools/check.sh", "tools/new"]],
  ["node script.mjs && python tools/ready.py", ["script.mjs", "tools/ready.py"]],
])("a change of a file that %j runs without naming it is a change of the hook", async (command, files) => {
  await using place = await tempProject(FILES);
  for (const file of files) {
    const before = contentOf(command, place.dir);
    await place.write(file, file.endsWith(".json") ? pack({ guard: "exit 0" }) : `${file} changed\n`);
    expect([file, contentOf(command, place.dir) === before]).toEqual([file, false]);
    if (file in FILES) await place.write(file, FILES[file as keyof typeof FILES]);
  }
  const before = contentOf(command, place.dir);
  await place.write("src/a.c", "int b;\n");
  await place.write("README.md", "text\n");
  expect(contentOf(command, place.dir)).toBe(before);
});
