import { expect, test } from "bun:test";
import { UserFacingError } from "../../../../src/contracts/errors.ts";
import type { Decision } from "../../../../src/contracts/permission.ts";
import type { Subject } from "../../../../src/contracts/subject.ts";
import { evaluate } from "../../../../src/services/permission/judge/evaluate.ts";
import { compileRules } from "../../../../src/services/permission/rules/compile-rules.ts";
import { compile, execute, HOME, ROOT, read, situation, write } from "../support.ts";

const compileOne = (rule: string, decision: Decision) =>
  compileRules([{ rule, decision, file: "s.json", layer: "user", line: 7, base: ROOT }], {
    roots: [ROOT],
    home: HOME,
    realPath: (path) => path,
  });

test.each([
  // `:*` before the end
  ["Bash(touch:* secret*)", '"touch * secret*"'],
  ["Bash(curl:* --data *)", '"curl * --data *"'],
  ["Bash(git:* push)", '"git * push"'],
  ["Bash(git push:*main)", '"git push * main"'],
  ["Bash(git log:**)", ":* has a meaning only at its end"],
  ["Bash(npm run:* --x:*)", ":* has a meaning only at its end"],
  ["Bash(:*)", "no command before the *"],
  // what is no command
  ["Bash(!git push *)", "write the opposite rule"],
  ["Bash(-rf *)", "is an option"],
  ["Bash(# no pushing)", "comment"],
  ["Bash(command:npm test)", '"command:npm" is not the name of a program'],
  ["Bash(run_in_background:true)", "is not the name of a program"],
  ["Bash(prefix:git)", "is not the name of a program"],
  ["Bash(git:push)", "is not the name of a program"],
  ["Bash(rm,mv *)", "is not the name of a program"],
  ["Bash(for f in *; do rm $f; done)", "for is a word of the shell"],
  ["Bash(do rm *)", "do is a word of the shell"],
  ['Bash("git push *")', "quotes around the whole pattern"],
  ["Bash('rm -rf *')", "quotes around the whole pattern"],
  ["Bash(`rm *`)", "quotes around the whole pattern"],
  ["Bash(rm # never)", "comment of the shell"],
  ["Bash(rm \u2026)", "placeholder"],
  ["Bash(rm [0-9]+)", "regular expression"],
  ["Bash(! rm *)", "write the opposite rule"],
  ["Bash(git {push,pull} *)", "no subcommand has such a name"],
  ["Bash(npm {i,install} *)", "no subcommand has such a name"],
  ["Bash(rm ||| x)", "operators follow each other"],
  ["Bash(rm * && | sh)", "operators follow each other"],
  ["Bash(git push * or git pull *)", "one rule for each command"],
  // letters of another script that look like those of an ordinary word
  ["Bash(g\u0456t push *)", "looks like"],
  ["Bash(\uff52m *)", "looks like"],
  ["Bash(rm \uff0a)", "looks like"],
  ["Read(.\u0435nv)", "looks like"],
  ["Edit(src/\u0430pp.ts)", "looks like"],
  ["WebFetch(domain:127.1)", "127.0.0.1"],
  ["WebFetch(domain:256.1.1.1)", "example.com"],
  ["Agent([a])", "it is no name"],
  ["Skill(../a)", "without a sign"],
  ["Read(.env\n.npmrc)", "it is a list"],
  ["WebFetch(domain:\u0430pple.com)", "looks like"],
  ["Skill(d\u0435ploy)", "looks like"],
  // regular expressions and lists
  ["Bash(^git push.*)", "regular expression"],
  ["Bash(.*rm.*)", "regular expression"],
  ["Bash(git.*)", "regular expression"],
  ["Bash(git push.*)", "regular expression"],
  ["Bash(git push$)", "regular expression"],
  ["Bash(rm\\s+-rf *)", "regular expression"],
  ["Bash(git (push|pull) *)", "one rule for each command"],
  ["Bash(rm|mv *)", "one rule for each command"],
  ["Bash(git push *, git pull *)", "one rule for each command"],
  ["Bash(/^git push/)", "regular expression"],
  ["Bash(/git push/i)", "regular expression"],
  ["Bash(git[ ]push)", "is not the name of a program"],
  ["Bash([git push])", "is not the name of a program"],
  ["Bash({git,npm} push)", "is not the name of a program"],
  ["Bash(git?)", "is not the name of a program"],
  ["Bash(https://example.com)", "is not the name of a program"],
  ["Bash(C:/tools/x.exe *)", "is not the name of a program"],
  ["Bash(git push:origin)", "no subcommand has such a name"],
  ["Bash(git push: *)", "no subcommand has such a name"],
  ["Bash(git push? *)", "no subcommand has such a name"],
  ["Bash(git [a-z]*)", "no subcommand has such a name"],
  ["Bash(git, npm *)", "is not the name of a program"],
  ["Bash(git push, *)", "ends with a comma"],
  ["Bash(git <args> *)", "placeholder"],
  ["Bash(git ...)", "placeholder"],
  ["Bash(GIT push *)", "write git in lower case"],
  ["Bash(Npm install *)", "write npm in lower case"],
  ["Bash(rm \u2013rf *)", "text editor"],
  // characters that nobody sees
  ["Bash(rm\u00a0-rf *)", "U+00A0"],
  ["Bash(rm\u200b *)", "U+200B"],
  ["Read(.env\ufeff)", "U+FEFF"],
  // paths
  ['Read("./.env")', "quotes"],
  ["Read('.env')", "quotes"],
  ["Read(path:.env)", "path: is part of its path"],
  ["Edit(file_path=src/a)", "file_path= is part of its path"],
  ["Read(C:\\Users\\ann\\**)", "Windows"],
  ["Read(C:/Users/**)", "Windows"],
  ["Read(secrets\\key.pem)", "write / between"],
  ["Read(file:///etc/passwd)", "an address"],
  ["Read($HOME/.ssh/**)", "~/"],
  [`Read($\{HOME}/.ssh/**)`, "~/"],
  ["Read(~ann/.ssh/**)", "only ~/ is a home folder"],
  ["Read(^secrets/.*)", "regular expression"],
  ["Read(.*\\.env)", "regular expression"],
  ["Read(secret|key)", "regular expression"],
  ["Read((secret|key).pem)", "regular expression"],
  ["Read(.env, .env.local)", "it is a list"],
  ["Read(.env,.env.local)", "it is a list"],
  ["Edit(src/**,lib/**)", "it is a list"],
  ["Read(.env;.envrc)", "it is a list"],
  ["Edit(**/*.ts **/*.tsx)", "it is a list"],
  ["Edit(src/...)", "write **"],
  ["Read(<path>)", "placeholder"],
  ["Read(regex:.env)", "regex: is part of its path"],
  ["Read(/\\.env$/)", "regular expression"],
  [`Edit(${ROOT}/src/**)`, `write /${ROOT}/src/**`],
  [`Read(${HOME}/.ssh/**)`, `write /${HOME}/.ssh/**`],
  ["Cd($HOME/x)", "~/"],
  ["Write(~ann/x)", "only ~/ is a home folder"],
  ["Read(src:*)", ":* is for commands"],
  ["Edit(src/**:*)", ":* is for commands"],
  ["Read(.env # never)", "comment"],
  ["Read($(pwd)/.env)", "variables are not replaced"],
  ["Read(.+)", "regular expression"],
  ["Edit(src/*.{ts,tsx)", "closing }"],
  ["Read(~+/x)", "only ~/ is a home folder"],
  // hosts
  ["WebFetch(domain:[x)", "*.example.com"],
  ["WebFetch(domain:https://example.com)", "without https://"],
  ["WebFetch(domain:example.com/docs)", "without a path"],
  ["WebFetch(domain:example.com:8080)", "without its port"],
  ["WebFetch(domain:*example.com)", "*.example.com"],
  ["WebFetch(domain:example.*)", "*.example.com"],
  ["WebFetch(domain:.example.com)", "domain:*.example.com"],
  ["WebFetch(domain:a.com, b.com)", "it is a list"],
  ["WebFetch(domain:)", "*.example.com"],
  ["WebFetch(domain:a.com|b.com)", "*.example.com"],
  ["WebFetch(domain:^a.com$)", "*.example.com"],
  ["WebFetch(domain:*.)", "*.example.com"],
  ["WebFetch(domain:**)", "*.example.com"],
  ["WebFetch(domain:a..com)", "*.example.com"],
  ["WebFetch(domain:10.0.0.0/8)", "without a path"],
  // agents, skills, servers
  ["Agent(Explore, Plan)", "one rule for each name"],
  ["Agent(Explore,Plan)", "one rule for each name"],
  ['Agent("Explore")', "quotes"],
  ["Task(subagent_type:Explore)", "subagent_type: is part of its name"],
  ["Agent(model:opus)", "model: is part of its name"],
  ["Skill(deploy|release)", "one rule for each name"],
  ["Agent(@Explore)", "the name alone"],
  ["Agent(Explore.md)", "the name alone"],
  ["Skill(deploy/SKILL.md)", "the name alone"],
  ["Skill(.*)", "regular expression"],
  ["Agent(review.+)", "regular expression"],
  ["mcp____", "ends too early"],
  ["mcp__", "ends too early"],
  ["mcp__github__", "ends too early"],
])("nothing can match %s: a deny or ask rule stops the start, an allow rule is one line", (rule, fault) => {
  for (const decision of ["deny", "ask"] as const) {
    let thrown: unknown;
    try {
      compileOne(rule, decision);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UserFacingError);
    const { message, exitCode } = thrown as UserFacingError;
    expect([exitCode, message]).toEqual([2, expect.stringContaining(fault)]);
    expect(message).toStartWith(`s.json:7: the ${decision} rule ${JSON.stringify(rule)} is invalid: `);
  }
  // An exact allow rule was probably made from a command that was run.
  const isExact = rule.startsWith("Bash(") && !rule.includes("*") && !/^Bash\(["'!#-]/.test(rule);
  const { rules, ignored, warnings } = compileOne(rule, "allow");
  if (isExact && warnings.length === 0) return;
  expect([rules, ignored.map(({ awaitsTrust }) => awaitsTrust)]).toEqual([[], [false]]);
  expect(warnings).toEqual([expect.stringContaining(fault)]);
  expect(warnings[0]).toStartWith("s.json:7: the rule ");
});

test("an exact allow rule of a command with odd signs allows it", () => {
  for (const command of [
    "echo $'it\\'s'",
    "grep foo$",
    "echo a,",
    "echo ...",
    "git log x:y",
    "echo don’t",
    "grep -n ^x a",
  ]) {
    const rules = compile({ allow: [`Bash(${command})`] });
    const call = { toolName: "Bash", level: "execute", subjects: [execute(command)] } as const;
    expect([command, evaluate(call, situation({}, { rules })).decision]).toEqual([command, "allow"]);
  }
});

test.each([
  ["Bash(rm # x)", "comment of the shell"],
  ["Bash(npm test #unit)", "comment of the shell"],
  ['Bash(echo "a)', "never closed"],
  ["Bash(echo 'a)", "never closed"],
  ["Bash(echo `date)", "never closed"],
  ["Bash(! grep x a)", "write the opposite rule"],
  ["Bash($TOOL run *)", "known only when it runs"],
  ["Bash(~/bin/tool *)", "the whole path"],
  ["Bash(source venv/bin/activate)", "source"],
  ["Bash(. ./env.sh)", "always asks"],
  ["Bash(alias ll=ls)", "always asks"],
])("the allow rule %s, which can never allow a call, is one line", (rule, fault) => {
  expect(compileOne(rule, "allow")).toMatchObject({ rules: [], warnings: [expect.stringContaining(fault)] });
});

test("an allow rule with several blanks between its words allows the command", () => {
  for (const rule of ["Bash(git  status)", "Bash(git   status *)", "Bash(git\tstatus)"]) {
    const rules = compile({ allow: [rule] });
    const call = { toolName: "Bash", level: "execute", subjects: [execute("git status")] } as const;
    expect([rule, evaluate(call, situation({}, { rules })).decision]).toEqual([rule, "allow"]);
  }
  expect(compileOne('Bash(git commit -m "wip*)', "allow").warnings).toEqual([]);
  const quoted = compile({ allow: ["Bash(echo 'a  b')"] });
  const call = { toolName: "Bash", level: "execute", subjects: [execute("echo 'a b'")] } as const;
  expect(evaluate(call, situation({}, { rules: quoted })).decision).toBe("ask");
});

test.each(["Bash(ls", "Bash(ls *),", "Bash()", "Read(a)b", "Bash(a)) (b)", "Bash(ls *), Bash(cat *)"])(
  "the broken allow rule %s is one line, because it can only fail to allow",
  (rule) => {
    expect(compileOne(rule, "allow")).toMatchObject({ rules: [], warnings: [expect.stringContaining("s.json:7")] });
    expect(() => compileOne(rule, "deny")).toThrow("is invalid");
  },
);

function denies(rule: string, toolName: string, subject: Subject, line?: string): boolean {
  const call = { toolName, level: "execute", subjects: [subject], ...(line !== undefined && { line }) } as const;
  return evaluate(call, situation({ deny: [rule] })).decision === "deny";
}

test.each([
  ["Bash( rm * )", "rm x"],
  ["Bash(git  push   *)", "git push origin"],
  ["Bash(rm *;)", "rm x"],
  ["Bash(npm start &)", "npm start"],
  ["Bash(npm test 2>&1)", "npm test"],
  ["Bash(make * > /dev/null 2>&1)", "make all"],
  ['Bash(git commit -m "wip*)', "git commit -m 'wip: x'"],
  ["Bash(rm -rf \\/*)", "rm -rf /etc"],
  ["Bash(npm run test\\:* --watch)", "npm run test:unit --watch"],
  ['Bash(curl -H "Authorization:*" *)', 'curl -H "Authorization: x" example.com'],
  ["Bash([ -f *)", "[ -f a ]"],
  ["Bash(./scripts/*.sh *)", "./scripts/a.sh x"],
  ["Bash(python3.* -c *)", "python3.12 -c x"],
  ["Bash(rm -rf .*)", "rm -rf .git"],
  ["Bash(grep -E 'a|b' *)", "grep -E 'a|b' x"],
  ["Bash(git diff HEAD^)", "git diff HEAD^"],
  ["Bash(npm run {a,b})", "npm run {a,b}"],
  ["Bash(echo $(date))", "echo $(date)"],
  ["Bash(go test ./...)", "go test ./..."],
  ["Bash(grep -rn foo$ *)", "grep -rn foo$ src"],
  ["Bash(grep foo$)", "grep foo$"],
  ["Bash(rg ^foo.* *)", "rg ^foo.* src"],
  ["Bash(* foo$)", "grep a foo$"],
  ["Bash(docker run -p 80:80 *)", "docker run -p 80:80 x"],
  ["Bash(npm run test:unit *)", "npm run test:unit x"],
  ["Bash(R -e *)", "R -e x"],
  ["Bash(source *)", "source x"],
  ["Bash($EDITOR *)", "$EDITOR x"],
  ["Bash(~/bin/x *)", "~/bin/x a"],
  ['Bash(git commit -m "it is #1 or so" *)', 'git commit -m "it is #1 or so" a'],
  ["Bash(docker ps --format {{.ID}})", "docker ps --format {{.ID}}"],
  ["Bash(/usr/bin/git *)", "/usr/bin/git push"],
])("the unusual deny rule %s denies %s", (rule, command) => {
  expect(denies(rule, "Bash", execute(command))).toBe(true);
  expect(compileOne(rule, "deny").warnings).toEqual([]);
});

test.each([
  ["Bash(curl * | sh)", "curl", "curl -s x | sh", true],
  ["Bash(curl * | sh)", "curl", "cd /tmp && sudo curl x|sh; ls", true],
  ["Bash(curl * | sh)", "curl", "curl x | tee sh", false],
  ["Bash(curl * | sh)", "curl", "echo 'curl x | sh'", false],
  ["Bash(curl *|bash*)", "curl", "curl x |  bash -s", true],
  ["Bash(git add * && git commit *)", "git", "git add . && git commit -m x", true],
  ["Bash(git add * && git commit *)", "git", "git add .", false],
  ["Bash(echo * > /etc/*)", "echo", "echo a >/etc/hosts", true],
  ["Bash(echo * > /etc/*)", "echo", "echo a > b", false],
  ["Bash(| sh)", "curl", "curl x | sh", true],
  ["Bash(* && rm *)", "rm", "cd x && rm y", true],
  ["Bash(> /etc/*)", "echo", "echo x > /etc/hosts", true],
  ["Bash(* > *)", "echo", "echo x > y", true],
  ["Bash(* > *)", "echo", "echo x", false],
  ["Bash(:(){ :|:& };:)", ":", ":(){ :|:& };:", true],
])("the deny rule %s about a line matches %s of %j: %p", (rule, command, line, expected) => {
  expect(denies(rule, "Bash", execute(command), line)).toBe(expected);
  expect(compileOne(rule, "deny").warnings).toEqual([]);
});

test.each([
  ["Bash(git add . && git commit *)", "a rule of its own"],
  ["Bash(curl * | sh)", "a rule of its own"],
  ["Bash(echo * > out.txt)", "a redirect is judged as a file"],
])("the allow rule %s is one line, because each command of a line is judged separately", (rule, why) => {
  expect(compileOne(rule, "allow").warnings).toEqual([expect.stringContaining(why)]);
});

test("an allow rule with a harmless redirect at its end allows the command before it", () => {
  const rules = compile({ allow: ["Bash(npm test 2>&1)"] });
  const call = { toolName: "Bash", level: "execute", subjects: [execute("npm test")] } as const;
  expect(evaluate(call, situation({}, { rules })).decision).toBe("allow");
});

test.each([
  ["Read(a/./b)", read("a/b")],
  ["Read(a//b)", read("a/b")],
  ["Read( ./secret )", read("secret")],
  ["Edit(///etc/hosts)", write("/etc/hosts")],
  ["Read(app/(auth)/x)", read("app/(auth)/x")],
  ["Read(routes/$id/x)", read("routes/$id/x")],
  ["Read(\u0434\u043e\u043a/\u0430.txt)", read("\u0434\u043e\u043a/\u0430.txt")],
  ["Read(\u0394x.txt)", read("\u0394x.txt")],
  ["Read(a, b)".replace(", ", "\\, "), read("a, b")],
])("the path rule %s still denies its path", (rule, subject) => {
  expect(denies(rule, subject.action === "read" ? "Read" : "Edit", subject)).toBe(true);
});

test("hosts, servers and skills are also understood in the spellings of other agents", () => {
  const host = (name: string): Subject => ({ action: "network", host: name });
  const use = (name: string, args?: string): Subject => ({ action: "use", name, ...(args !== undefined && { args }) });
  expect(denies("WebFetch(domain:Example.com.)", "WebFetch", host("example.com"))).toBe(true);
  expect(denies("WebFetch(domain:müller.de)", "WebFetch", host("xn--mller-kva.de"))).toBe(true);
  expect(denies("WebFetch(*)", "WebFetch", host("a.com"))).toBe(true);
  expect(denies("mcp__*", "mcp__github__push", { action: "use", name: "x" })).toBe(true);
  expect(denies("mcp__github__push(*)", "mcp__github__push", { action: "use", name: "x" })).toBe(true);
  expect(denies("SlashCommand(/deploy)", "Skill", use("deploy"))).toBe(true);
  expect(denies("Skill(/deploy:*)", "Skill", use("deploy", "prod"))).toBe(true);
  expect(denies("Skill(tools:*)", "Skill", use("tools:lint"))).toBe(true);
  expect(denies("Agent(reviewer:*)", "Agent", use("reviewer"))).toBe(true);
  expect(denies("Agent(tools:*)", "Agent", use("tools:reviewer"))).toBe(true);
  const rules = compile({ allow: ["Skill(deploy:*)"] });
  const call = { toolName: "Skill", level: "execute", subjects: [use("deploy", "prod")] } as const;
  expect(evaluate(call, situation({}, { rules })).decision).toBe("allow");
});

test("a deny rule whose brackets its tool does not support covers every call, and one line says so", () => {
  for (const rule of ["WebFetch(example.com)", "mcp__github__push(main)", "TodoWrite(x)"])
    expect(compileOne(rule, "deny")).toMatchObject({
      rules: [{ text: rule }],
      warnings: [expect.stringContaining("it covers every call")],
    });
});

test("one line says that a single / at the start of a path is the project's root, where the system has such a folder", () => {
  for (const decision of ["deny", "ask", "allow"] as const) {
    expect(compileOne("Read(/etc/passwd)", decision).warnings).toEqual([
      expect.stringContaining(`/etc/passwd means ${ROOT}/etc/passwd; write //etc/passwd`),
    ]);
    expect(compileOne("Edit(/Users/ann/code/**)", decision).warnings).toHaveLength(1);
    for (const rule of ["Read(//etc/passwd)", "Read(/src/**)", "Read(/lib/**)", "Read(etc/passwd)"])
      expect(compileOne(rule, decision).warnings).toEqual([]);
  }
});

test("many invalid allow rules of one file share a line", () => {
  const texts = ["a", "b", "c", "d", "e"].map((name) => `Bash(cd ${name} && ls)`);
  const { ignored, warnings } = compileRules(
    texts.map((rule, at) => ({ rule, decision: "allow", file: "s.json", layer: "user", line: at + 1, base: ROOT })),
    { roots: [ROOT], home: HOME, realPath: (path) => path },
  );
  expect(ignored).toHaveLength(5);
  expect(warnings).toEqual([expect.stringMatching(/^s\.json: 5 rules .*Bash\(cd a && ls\).*quoll permissions list/)]);
});

test("each invalid rule of the settings has a line in the one error", () => {
  const sources = ["Bash(", "Read", "Read(../a/../b)"].map((rule, at) => ({
    ...({ rule, decision: "deny", file: "s.json", layer: "user", line: at + 1, base: ROOT } as const),
  }));
  const compiled = () => compileRules(sources, { roots: [ROOT], home: HOME, realPath: (path) => path });
  expect(compiled).toThrow(UserFacingError);
  expect(compiled).toThrow(/^s\.json:1: .*\ns\.json:3: .*$/);
});
