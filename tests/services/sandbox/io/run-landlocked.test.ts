import { expect, test } from "bun:test";
import { resolve } from "node:path";
import type { LandlockPlan } from "../../../../src/services/sandbox/io/landlock/landlock-plan.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempProject } from "../../../support/temp-project.ts";

const SELF = resolve(import.meta.dir, "../self.ts");
const RULES: LandlockPlan["rules"] = [
  { path: "/", access: "list" },
  ...["/usr", "/lib", "/lib64", "/bin", "/etc", "/proc"].map((path) => ({ path, access: "read" }) as const),
];

async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runCommand([process.execPath, SELF, "__landlock", ...words], { cwd: "/", env });
}

test("this kernel has Landlock", async () => {
  expect(await run(["--probe"])).toEqual({ code: 0, out: "", err: "" });
});

test("a plan is carried out: folder, arguments and environment as planned, nothing inherited, no descriptor left", async () => {
  await using project = await tempProject({ "w/x": "1" });
  const plan: LandlockPlan = {
    rules: [...RULES, { path: project.path("w"), access: "write" }],
    file: "/usr/bin/bash",
    args: [
      "-c",
      'pwd; env | grep -v -e ^_= -e ^PWD= -e ^SHLVL= | sort; printf "%s|" "$@"; ls /proc/$$/fd; echo 2 > x',
      "sh",
      "a b",
      "",
      "é",
    ],
    cwd: project.path("w"),
    env: { A: "b c", PATH: "/usr/bin" },
  };
  const file = await project.write("plan.json", JSON.stringify(plan));
  expect(await run([file], { INHERITED: "1" })).toEqual({
    code: 0,
    out: `${project.path("w")}\nA=b c\nPATH=/usr/bin\na b||é|0\n1\n2\n`,
    err: "",
  });
  expect(await project.read("w/x")).toBe("2\n");
});

test.each([
  ["a link gets no rights to what it leads to", "link"],
  ["nor does a path through a link", "link/inner"],
  ["nor a path with dots that leaves its folder through a link", "link/../link/inner"],
])("%s", async (_, name) => {
  await using project = await tempProject({ "victim/inner/x": "1", "w/x": "1" });
  await Bun.$`ln -s ${project.path("victim")} ${project.path("link")}`.quiet();
  const plan: LandlockPlan = {
    rules: [...RULES, { path: `${project.dir}/${name}`, access: "write" }],
    file: "/usr/bin/bash",
    args: ["-c", `echo 2 > ${project.path("victim/inner/x")}`],
    cwd: "/",
    env: {},
  };
  expect((await run([await project.write("plan.json", JSON.stringify(plan))])).code).toBe(1);
  expect(await project.read("victim/inner/x")).toBe("1");
});

test("signals that our runtime ignores mean what they always mean", async () => {
  await using project = await tempProject();
  const plan: LandlockPlan = {
    rules: RULES,
    file: "/usr/bin/bash",
    args: ["-c", "grep SigIgn /proc/self/status; kill -PIPE $$"],
    cwd: "/",
    env: {},
  };
  const { code, out } = await run([await project.write("plan.json", JSON.stringify(plan))]);
  expect({ code, out }).toEqual({ code: 141, out: "SigIgn:\t0000000000000000\n" });
});

test("a bad plan, a missing program and a call by hand run nothing and say so in one line", async () => {
  await using project = await tempProject({ "bad.json": "{" });
  const plan: LandlockPlan = { rules: RULES, file: "/no/such", args: [], cwd: "/", env: {} };
  const missing = await project.write("plan.json", JSON.stringify(plan));
  for (const words of [[project.path("bad.json")], [project.path("none.json")], [missing], [], ["a", "b"]]) {
    const { code, out, err } = await run(words);
    expect({ code, out }).toEqual({ code: 126, out: "" });
    expect(err).toMatch(/^quoll: [^\n]+\n$/);
  }
});
