import { describe, expect, test } from "bun:test";
import { classify } from "../src/classify.ts";
import type { Classification } from "../src/types.ts";
import { parser } from "./real-parser.ts";

function judge(source: string): Classification {
  const parsed = parser.parse(source);
  const command = parsed.understood ? parsed.commands[0] : undefined;
  if (!command) throw new Error(`not understood: ${source}`);
  return classify(command);
}

describe("what a read-only command reads", () => {
  test.each([
    ["ls", ["."]],
    ["ls -la src /etc", ["src", "/etc"]],
    ["cat a.ts ../b", ["a.ts", "../b"]],
    ["cat src/*.ts", ["src"]],
    ["cat *.md", ["."]],
    ["cat /etc/*", ["/etc"]],
    ["cat /*", ["/"]],
    ["grep -rn foo src", ["src"]],
    ["grep foo", ["."]],
    ["grep -e foo a b", ["a", "b"]],
    ["grep -f patterns a", ["a", "patterns"]],
    ["grep --file=/etc/passwd a", ["a", "/etc/passwd"]],
    ["rg foo", ["."]],
    ["rg --files src", ["src"]],
    ["rg -f /etc/passwd", [".", "/etc/passwd"]],
    ["find", ["."]],
    ["find . ../x -name a", [".", "../x"]],
    ["find . -newer /etc/passwd", [".", "/etc/passwd"]],
    ["diff a /b", ["a", "/b"]],
    ["cd src", ["src"]],
    ["git status", ["."]],
    ["git -C ../other log", ["../other"]],
    ["git -C dir diff -- a.ts /x", ["dir", "dir/a.ts", "/x"]],
    ["git show HEAD:.env", [".", "HEAD:.env", ".env"]],
    ["git diff /etc/passwd /etc/shadow", [".", "/etc/passwd", "/etc/shadow"]],
    ["sed -n 1,5p a b", ["a", "b"]],
    ["jq .x package.json", ["package.json"]],
    ["head -n 5 a", ["a"]],
    ["timeout 5 cat a", ["a"]],
    ["echo hi", []],
    ["echo *", ["."]],
    ["pwd", []],
  ] as const)("%s", (source, reads) => {
    const found = judge(source);
    expect({ readOnly: found.readOnly, reads: [...found.reads] }).toEqual({ readOnly: true, reads: [...reads] });
  });
});

describe("never read-only", () => {
  test.each([
    ["bash -c 'ls'"],
    ["sh -c ls"],
    ["zsh -c ls"],
    ["bash"],
    ["xargs ls"],
    ["xargs cat"],
    ["ssh host ls"],
    ["docker exec c ls"],
    ["sudo ls"],
    ["doas ls"],
    ["watch ls"],
    ["setsid ls"],
    ["flock f ls"],
    ["env"],
    ["printenv"],
    ["printenv HOME"],
    ["env A=1 ls"],
    ["export A=1"],
    ["set -e"],
    ["read x"],
    ["A=1"],
    ["foo=bar"],
    ["> a"],
    ["ls > a"],
    ["ls 2> err"],
    ["ls >> a"],
    ["ls &> a"],
    ["ls >| a"],
    ["cat < $x"],
    ["cat <<< $x"],
    ["GIT_SSH_COMMAND=x git log"],
    ["GIT_EXTERNAL_DIFF=x git diff"],
    ["PAGER=x git log"],
    ["RIPGREP_CONFIG_PATH=x rg a"],
    ["LC_ALL=$x ls"],
    ["LANG=../x ls"],
    ["TZ=/etc/shadow date"],
    ["git -c core.pager=x log"],
    ["git -ccore.pager=x log"],
    ["git --config-env=a=b log"],
    ["git -C a -C b log"],
    ["git -C"],
    ["git"],
    ["git log --no-such"],
    ["git fetch"],
    ["git pull"],
    ["git status --no-such"],
    ["tar --to-command=id -xf a"],
    ["tar tf a"],
    ["sed e"],
    ["awk 1 a"],
    ["perl -ne print a"],
    ["python3 -c 1"],
    ["node x.js"],
    ["node --version --eval 1"],
    ["node -pe 1"],
    ["npm test"],
    ["npm view zod"],
    ["npx tsc"],
    ["curl x"],
    ["wget x"],
    ["make"],
    ["./ls"],
    ["/tmp/ls"],
    ["node_modules/.bin/git status"],
    ["ls -la --unknown"],
    ["cat -- $x"],
    ["ls {a,b}"],
    ["cat ~/.ssh/id_rsa"],
    ["cat */../../x"],
    ["ls .*"],
    ["cat src/.*"],
    ["cat */.ssh/x"],
    ["sort -u -o x x"],
    ["sort -ox x"],
    ["find . -name a -exec id ;"],
    ["find . -fprint /x"],
    ["rg --pre id x"],
    ["rg --pre=id x"],
    ["man ls"],
    ["less a"],
    ["more a"],
    ["vi a"],
    ["tail -f a"],
    ["sleep 1"],
    ["true > a"],
    ["hostname x"],
    ["date -s 1"],
    ["uniq a b"],
    ["cargo metadata"],
    ["cargo --version"],
    ["yarn --version"],
    ["go version"],
  ])("%s", (source) => {
    expect(judge(source).readOnly).toBe(false);
  });

  test("a name that only looks like one", () => {
    expect(
      ["lS", "LS", "ls.", "constructor", "toString", "__proto__", "hasOwnProperty"].map(
        (source) => judge(source).readOnly,
      ),
    ).toEqual(Array.from({ length: 7 }, () => false));
  });
});

describe("harmless beside a reading command", () => {
  test.each([
    ["ls 2>/dev/null"],
    ["ls > /dev/null 2>&1"],
    ["cat < a"],
    ["grep x <<< text"],
    ["NO_COLOR=1 ls"],
    ["LC_ALL=C TZ=UTC ls"],
    ["env LC_ALL=C ls"],
    ["time ls"],
    ["nice -n 5 ls"],
    ["wc -l <<'E'\nx\nE"],
  ])("%s", (source) => {
    expect(judge(source).readOnly).toBe(true);
  });
});

test("a hazard is told with what it touches, also for what can't be known and behind launchers", () => {
  const sources = [
    "rm -rf dist/ $X *.o",
    "sudo -u x rm -rf /",
    "xargs -0 rm -f",
    "find . -type f -exec rm -rf {} +",
    "git -C a -c b=c push --force-with-lease origin main",
    "npm publish --access public",
    "env A=1 timeout 5 git reset --hard",
  ];
  expect(sources.map((source) => [...judge(source).hazards])).toEqual([
    ["deletes files: dist/, $X, *.o"],
    ["deletes files: /"],
    ["deletes files: what it is given"],
    ["deletes files: {}"],
    ["overwrites remote history"],
    ["publishes a package"],
    ["discards uncommitted changes"],
  ]);
});

test("an ordinary command destroys nothing", () => {
  const sources = [
    "git status",
    "git push",
    "git commit -m 'rm -rf x'",
    "echo rm -rf /",
    "npm test",
    "rm a.txt",
    "grep -rf pats .",
    "git log --force",
    "mkdir a",
  ];
  expect(sources.flatMap((source) => judge(source).hazards)).toEqual([]);
});

test("everything says the same whichever way its words are quoted", () => {
  const plain = judge("rm -rf dist");
  expect(["r\\m -rf dist", "'rm' \"-rf\" dist", "rm -'r'f d\\ist", "$'\\x72m' -rf dist"].map(judge)).toEqual([
    plain,
    plain,
    plain,
    plain,
  ]);
});
