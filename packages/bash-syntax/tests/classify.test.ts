import { describe, expect, test } from "bun:test";
import { classify } from "../src/classify.ts";
import { allInner } from "../src/inner-commands.ts";
import { reachesOnlyLoopback } from "../src/needs-network.ts";
import { stripWrappers } from "../src/strip-wrappers.ts";
import type { Classification } from "../src/types.ts";
import { firstCommand, hazardsOf } from "./judge.ts";
import { parser } from "./real-parser.ts";

const judge = (source: string): Classification => classify(firstCommand(source));

describe("the files that a read-only command reads", () => {
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

describe("a command that is never read-only", () => {
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
    ["env A=1 ls"],
    ["export A=1"],
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
    ["tar xf a"],
    ["sed e"],
    ["awk -f x a"],
    ["perl -ne print a"],
    ["python3 -c 1"],
    ["node x.js"],
    ["node --version --eval 1"],
    ["latexmk --version"],
    ["phpstan --version"],
    ["gradle --version"],
    ["node -pe 1"],
    ["npm test"],
    ["npx tsc"],
    ["curl x"],
    ["wget x"],
    ["make"],
    ["./ls"],
    ["/tmp/ls"],
    ["node_modules/.bin/git status"],
    ["ls -la --unknown"],
    ["cat -- $x"],
    ["ls {a,$x}"],
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
    ["man -P x ls"],
    ["less -o b a"],
    ["more +!x a"],
    ["vi a"],
    ["tail --pid=1 -f a"],
    ["true > a"],
    ["hostname x"],
    ["date -s 1"],
    ["uniq a b"],
    ["cargo metadata --config x"],
  ])("%s", (source) => {
    expect(judge(source).readOnly).toBe(false);
  });

  test("a program with a similar name is not read-only", () => {
    expect(
      ["lS", "LS", "ls.", "constructor", "toString", "__proto__", "hasOwnProperty"].map(
        (source) => judge(source).readOnly,
      ),
    ).toEqual(Array.from({ length: 7 }, () => false));
  });
});

describe("a redirect or an assignment that is harmless with a read-only command", () => {
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

describe("a hazard is told with its kind and the files it concerns", () => {
  test.each([
    ["rm -rf dist/ src", "deletes", "deletes files: dist/, src", ["dist/", "src"]],
    ["rm -rf dist/ $X", "deletes", "deletes files: dist/, $X", []],
    ["rm *.o build/*", "deletes", "deletes files: *.o, build/*", [".", "build/"]],
    ["find -H lk/x -delete", "deletes", "deletes the files found in lk/x", ["lk/x"]],
    ["rsync -a --delete -e ssh a/ b", "deletes", "deletes files: a/, b", ["b/"]],
    ["rsync --remove-source-files a b h:c", "deletes", "deletes files after copying them: a, b", ["a", "b"]],
    ["rm -rf .*", "deletes", "deletes files: .*", []],
    ["rm -rf */..", "deletes", "deletes files: */..", []],
    ["find src tests -name a -delete", "deletes", "deletes the files found in src, tests", ["src", "tests"]],
    ["find -delete", "deletes", "deletes the files found in .", ["."]],
    ["git -C sub clean -fd", "deletes", "deletes untracked files in .", ["sub"]],
    ["git clean -fd a b", "deletes", "deletes untracked files in a, b", ["a", "b"]],
    ["git -C $x clean -fd a", "deletes", "deletes untracked files in a", []],
    ["git --work-tree=/x clean -fd a", "deletes", "deletes untracked files in a", []],
    ["git reset --hard", "discards", "discards uncommitted changes", []],
    ["git checkout HEAD~1 -- a b", "discards", "overwrites changed files: a, b", ["a", "b"]],
    ["git checkout .", "discards", "overwrites changed files: .", ["."]],
    ["git restore src", "discards", "overwrites changed files: src", ["src"]],
    ["git stash drop", "refs", "discards stashed changes", []],
    ["git branch -D x", "refs", "deletes branches: x", []],
    ["git commit --amend", "history", "rewrites history", []],
    ["git push -f", "remote-history", "overwrites remote history", []],
    ["cp a b", "overwrites", "overwrites b", ["b", "b/a"]],
    ["cp a $b", "overwrites", "overwrites $b", []],
    ["mv -t d a", "overwrites", "overwrites d", ["d", "d/a"]],
    ["mv a b", "overwrites", "overwrites b", ["b", "b/a"]],
    ["tee a b", "overwrites", "overwrites: a, b", ["a", "b"]],
    ["dd if=x of=y", "overwrites", "overwrites: y", ["y"]],
    ["dd if=x of=/dev/sda", "device", "overwrites a device: if=x, of=/dev/sda", []],
    ["chmod -R 755 a b", "ownership", "changes permissions recursively: a, b", ["a", "b"]],
    ["npm publish --access public", "publishes", "publishes a package", []],
    ["psql -c 'drop table a'", "database", "destroys data in a database", []],
    ["kill -9 -1", "processes", "ends every process", []],
    ["mkfs.ext4 /dev/sda1", "device", "formats a disk", []],
    ["env A=1 timeout 5 git reset --hard", "discards", "discards uncommitted changes", []],
  ] as const)("%s", (source, kind, text, paths) => {
    const [first] = judge(source).hazards.filter((hazard) => hazard.kind === kind);
    expect(first).toMatchObject({ kind, text, paths: [...paths] });
  });

  test.each([
    ["git clean -fd a", "untracked"],
    ["git worktree remove --force w", "other-work-tree"],
    ["userdel ann", "user"],
    ["rm a", undefined],
  ] as const)("%s destroys what its name does not show: %s", (source, target) => {
    expect(judge(source).hazards.map((hazard) => hazard.target)).toEqual([target]);
  });

  test("a long list is shortened for people, never for the guard", () => {
    const names = Array.from({ length: 100 }, (_, index) => `file-${index}.txt`);
    const [hazard] = judge(`rm ${names.join(" ")}`).hazards;
    expect(hazard?.text.length).toBeLessThan(230);
    expect(hazard?.paths).toEqual(names);
  });
});

test("a started command is judged separately from the command that starts it", () => {
  const sources = [
    "sudo rm -rf /",
    "xargs -0 rm -f",
    "find . -exec rm {} +",
    "bash -c 'rm -rf x'",
    "ssh host rm -rf x",
  ];
  expect(sources.flatMap((source) => judge(source).hazards)).toEqual([]);
  expect(sources.map((source) => hazardsOf(source).map(({ kind, paths }) => [kind, ...paths]))).toEqual([
    [["deletes", "/"]],
    [["deletes"]],
    [["deletes"]],
    [["deletes", "x"]],
    [["deletes"]],
  ]);
});

test("after a launcher with unknown flags, every word counts", () => {
  const found = ["sudo --quoll rm -rf a", "timeout --quoll 5 rm -rf a", "npx rm -rf a"].map((source) => judge(source));
  expect(found.map(({ hazards, writes }) => [hazards[0]?.kind, ...writes])).toEqual(
    Array.from({ length: 3 }, () => ["deletes", "a"]),
  );
});

test("git checkout with one name is a danger only where a file of that name is there", () => {
  const marks = (source: string) => hazardsOf(source).map(({ paths, ifThere }) => [paths, ifThere]);
  expect(marks("git checkout main")).toEqual([[["main"], true]]);
  expect(marks("git checkout src/a")).toEqual([[["src/a"], true]]);
  expect(marks("git checkout -- main")).toEqual([[["main"], undefined]]);
});

test("an ordinary command destroys nothing", () => {
  const sources = [
    "git status",
    "git push",
    "git commit -m 'rm -rf x'",
    "git checkout -b feat/x.y origin/main",
    "git switch -c x",
    "git restore --staged a.ts",
    "git stash",
    "git rebase --continue",
    "git branch -d merged",
    "git fetch --prune",
    "git merge main",
    "echo rm -rf /",
    "npm test",
    "npm run publish-docs",
    "npm install rimraf",
    "npx eslint src/rm",
    "yarn add np",
    "poetry add cp",
    "npm publish --dry-run",
    "grep -rf pats .",
    "git log --force",
    "mkdir a",
    "touch a",
    "rm -rf /tmp/a",
    "cp a /tmp/x/a",
    "kill 123",
    "docker ps",
    "kubectl get pods",
    "psql -c 'select 1'",
    "chmod +x a.sh",
    "ln -s a b",
    "tee -a log",
    "sed -i s/a/b/ f",
  ];
  expect(sources.flatMap((source) => hazardsOf(source).map(({ text }) => `${source}: ${text}`))).toEqual([]);
});

describe("a command that runs elsewhere or as another user", () => {
  const innerOf = (source: string) => allInner(firstCommand(source), parser).commands.at(-1)?.command;

  test("is never read-only, and its operands are no files of this machine", () => {
    for (const source of ["ssh host cat /etc/passwd", "docker exec web cat a", "kubectl exec pod -- cat a"]) {
      const command = innerOf(source);
      if (!command) throw new Error(source);
      const { readOnly, reads, writes } = classify(command);
      expect({ readOnly, reads: [...reads], writes: [...writes] }).toEqual({ readOnly: false, reads: [], writes: [] });
    }
    const removing = innerOf("ssh host rm -rf src");
    expect(removing && classify(removing)).toMatchObject({
      writes: [],
      hazards: [{ kind: "deletes", text: "deletes files: src", paths: [] }],
    });
  });

  test("a command with other rights still writes on this machine", () => {
    const command = innerOf("sudo tee /etc/hosts");
    expect(command && classify(command)).toMatchObject({ readOnly: false, writes: ["/etc/hosts"] });
    const reading = innerOf("sudo cat a");
    expect(reading && classify(reading).readOnly).toBe(false);
  });
});

test("a command with an unknown part is never read-only", () => {
  expect(classify(firstCommand("ls")).readOnly).toBe(true);
  expect(classify({ ...firstCommand("ls"), unknown: ["$x"] }).readOnly).toBe(false);
});

describe("a command that needs a network", () => {
  test.each([
    ["curl x", true],
    ["timeout 60 npm install", true],
    ["git push", true],
    ["git -C x fetch --all", true],
    ["gh pr list", true],
    ["npm view zod", true],
    ["apt-get install -y x", true],
    ["scp a host:b", true],
    ["npm install --offline", false],
    ["npm test", false],
    ["git status", false],
    ["rsync -a a b", false],
    ["cargo build", false],
    ["echo curl", false],
  ] as const)("%s: %p", (source, expected) => {
    expect(judge(source).needsNetwork).toBe(expected);
  });
});

test.each([
  ["curl -s http://localhost:3000/a", true],
  ['curl "http://127.0.0.1:$PORT/"', true],
  ["timeout 5 wget -q -O - localhost:8080", true],
  ["curl http://[::1]:3000 -d @body.json", true],
  ["nc -z localhost 5432", true],
  ["curl https://example.com", false],
  ["curl http://localhost:3000 https://example.com", false],
  ["curl http://localhost.example.com/", false],
  ["curl -x http://proxy:1 http://localhost/", false],
  ['curl "$URL"', false],
  ["ssh localhost", false],
])("%s reaches only loopback: %p", (source, expected) => {
  const command = firstCommand(source);
  expect(reachesOnlyLoopback(stripWrappers(command) ?? command)).toBe(expected);
});

test("the classification does not depend on how words are quoted", () => {
  const plain = judge("rm -rf dist");
  expect(["r\\m -rf dist", "'rm' \"-rf\" dist", "rm -'r'f d\\ist", "$'\\x72m' -rf dist"].map(judge)).toEqual([
    plain,
    plain,
    plain,
    plain,
  ]);
});

describe("what a command reaches", () => {
  test.each([
    ["npm install", ["npm"], []],
    ["npm ci --ignore-scripts", ["npm"], []],
    ["timeout 60 pnpm add zod", ["pnpm"], []],
    ["yarn", ["yarn"], []],
    ["bun add zod", ["bun"], []],
    ["python3 -m pip install -r requirements.txt", ["pypi"], []],
    ["uv sync", ["pypi"], []],
    ["cargo fetch", ["cargo"], []],
    ["go mod download", ["go"], []],
    ["bundle install", ["gem"], []],
    ["bundle", ["gem"], []],
    ["pip install -i https://pypi.example/simple a", ["pypi"], ["pypi.example"]],
    ["pip install git+https://user@git.example/a/b", ["pypi"], ["git.example"]],
    ["pip install 'a@https://wheels.example/a.whl'", ["pypi"], ["wheels.example"]],
    ["pip install 'a[b] @ https://wheels.example/a.whl'", ["pypi"], ["wheels.example"]],
    ["pip install -fhttp://links.example a", ["pypi"], ["links.example"]],
    ["npm i @a/b@https://tar.example/b.tgz", ["npm"], ["tar.example"]],
    ["npm_config_registry=https://npm.example npm ci", ["npm"], ["npm.example"]],
    ["PIP_INDEX_URL='https://pypi.example/simple' pip install a", ["pypi"], ["pypi.example"]],
    ["npm i user@example.org a@1.2.3 git@git.example:a/b", ["npm"], []],
    ["curl -sL https://API.example:8443/a?b=https://other.example", [], ["api.example"]],
    ["git clone https://git.example/a/b.git", [], ["git.example"]],
    ["curl Example.com", [], ["example.com"]],
    ["curl -fsSL www.example.com:8080/a?b=c.d", [], ["www.example.com"]],
    ["curl -o a.html example.com/a", [], ["example.com"]],
    ["curl -H x.y https://a.example b.example --url c.example", [], ["a.example", "b.example", "c.example"]],
    ["wget -qO- example.com", [], ["example.com"]],
    ["http GET example.com/a name=b.c", [], ["example.com"]],
  ] as const)("%s: %p and %p", (source, registries, named) => {
    expect(judge(source).reaches).toEqual({ registries: [...registries], named: [...named] });
  });

  test.each([
    ...["npm publish", "npm --install publish", "pnpm publish", "yarn npm publish", "yarn publish", "bun publish"],
    ...[
      "cargo publish",
      "cargo +nightly publish",
      "cargo +nightly -q publish",
      "gem push a.gem",
      "twine upload dist/*",
      "uv publish",
      "poetry publish",
      "docker push a",
    ],
    ...["dotnet nuget push a", "mix hex.publish", "pod trunk push", "dart pub publish", "git push", "npm login"],
    ...["npm unpublish a", "npm dist-tag add a b", "npm owner add a", "npm access public", "cargo yank a"],
  ])("%s publishes or changes an account, so no registry counts", (source) => {
    expect([source, judge(source).needsNetwork, judge(source).reaches]).toEqual([source, true, undefined]);
  });

  test.each([
    ...["npm install -g a", "npm i --global a", "pip install --user a", "pip install --break-system-packages a"],
    ...[
      "cargo install a",
      "go install a",
      "pipx install a",
      "uv tool install a",
      "curl $URL",
      "curl -o example.com",
      "curl 10.0.0.1",
      "curl intranet",
      "git clone example.com/a",
      "git fetch",
      "gh pr list",
    ],
  ])("%s changes the account, or doesn't say what it reaches", (source) => {
    expect([source, judge(source).needsNetwork, judge(source).reaches]).toEqual([source, true, undefined]);
  });

  test("a command that needs no network reaches nothing", () => {
    for (const source of ["npm test", "yarn build", "npm run install", "npm install --offline", "ls"])
      expect([source, judge(source).reaches]).toEqual([source, undefined]);
  });
});
