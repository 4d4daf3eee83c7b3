import { describe, expect, test } from "bun:test";
import { isAcceptedCommand } from "../../../../src/services/permission/judge/accepted-commands.ts";
import type { ExecuteSubject } from "../../../../src/services/permission/rules/command-spellings.ts";
import { AGREED, SANDBOX, setUp, short } from "../engine-support.ts";
import { execute, hazard, read, write } from "../support.ts";

const command = (text: string, parts: Parameters<typeof execute>[1] = {}) => execute(text, parts) as ExecuteSubject;
const sandbox = async () => SANDBOX;
const OPERAND = { byCommand: true };

test.each([
  "mkdir -p a/b c",
  "mkdir --mode=755 a",
  "touch a b",
  "mv -f a b",
  "mv -- -a b",
  "cp -R src dst",
  "cp -a --target-directory=d a",
  "sed -i s/a/b/ x",
  "sed -E -i.bak 's/a -x/b -y/; s/c/d/' x y",
  'sed -n -i -e "s/a/b/" x',
  "sed --in-place -e s/a/b/ x",
])("%s is covered", (text) => {
  expect(isAcceptedCommand(command(text))).toBe(true);
});

test.each([
  "make",
  "rm a",
  "ln -s a b",
  "chmod +x a",
  "mkdir --context=x a",
  "cp --suffix=/../x a b",
  "cp --unknown a b",
  "cp '--suffix=x' a b",
  "sed s/a/b/ x",
  "sed -i -f script x",
  "sed '-f' script -i x",
  "sed -i --expression=e x",
  "sudo mkdir a",
  "/tmp/evil/mkdir a",
  "constructor a",
  "",
])("%s is not", (text) => {
  expect(isAcceptedCommand(command(text))).toBe(false);
});

test.each([
  ["what was not understood", { understood: false }],
  ["a program that says the rest", { unsaid: true }],
  ["a wrapper", { alternatives: ["mkdir a"] }],
  ["a variable that changes what it does", { assignments: ["LD_PRELOAD=./x.so"] }],
])("%s is not", (_, parts) => {
  expect(isAcceptedCommand(command("mkdir a", parts))).toBe(false);
});

describe("in mode acceptEdits", () => {
  const verdictOf = async (subjects: Parameters<ReturnType<typeof setUp>["request"]>[2][], change = {}) => {
    const { judge, request } = setUp({ mode: "acceptEdits", sandbox, canAsk: false, ...change });
    return short(await judge(request("Bash", "execute", ...subjects)));
  };
  const making = [execute("mkdir a"), write("a", OPERAND)];

  test("a confined command that only writes in the workspace runs, inside and by the mode", async () => {
    const { judge, request } = setUp({ mode: "acceptEdits", sandbox });
    expect(await judge(request("Bash", "execute", ...making))).toMatchObject({
      grant: { decidedBy: { kind: "mode", reason: "mode acceptEdits" }, confinement: "sandbox" },
    });
    expect(await verdictOf([...making, execute("ls", { readOnly: true })])).toBe("allow/sandbox");
  });

  test.each([
    ["beside another command", [...making, execute("make")], {}],
    ["that writes outside the workspace", [execute("mkdir /srv/a"), write("/srv/a", OPERAND)], {}],
    ["that reads outside the workspace", [execute("cp /srv/a a"), read("/srv/a", OPERAND), write("a", OPERAND)], {}],
    ["that writes a protected path", [execute("mkdir .git/hooks"), write(".git/hooks", OPERAND)], {}],
    ["that reads a secret", [execute("cp .env a"), read(".env", OPERAND), write("a", OPERAND)], {}],
    ["with a redirect", [...making, write("log")], {}],
    ["without a sandbox", making, { sandbox: undefined }],
    ["in another mode", making, { mode: "default" }],
    ["that an ask rule names", making, { rules: { ask: ["Bash(mkdir *)"] } }],
    [
      "in a workspace that holds a whole home",
      making,
      { workspace: { roots: ["/home/ann"], isBroad: true, projectRoot: "/home/ann" } },
    ],
    [
      "that destroys data without a backup",
      [execute("mv a b", { hazards: [hazard("overwrites b", "overwrites")] }), write("b", OPERAND)],
      {},
    ],
  ])("one %s is asked for", async (_, subjects, change) => {
    expect(await verdictOf(subjects, change)).toBe("deny/unanswered");
  });

  test("where a person agreed to confined commands, the agreement is named", async () => {
    const { judge, request } = setUp({ mode: "acceptEdits", sandbox, consent: AGREED });
    const verdict = await judge(request("Bash", "execute", ...making));
    expect(verdict).toMatchObject({
      grant: { decidedBy: { kind: "sandbox" } },
    });
  });
});
