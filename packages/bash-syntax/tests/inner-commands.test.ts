import { describe, expect, test } from "bun:test";
import { allInner, innerCommands } from "../src/inner-commands.ts";
import { launchOf } from "../src/launch.ts";
import type { InnerCommands } from "../src/types.ts";
import { COMMAND_FLAG_EXAMPLES, LAUNCHER_EXAMPLES } from "./examples.ts";
import { anyCommand, firstCommand, isHarmless } from "./judge.ts";
import { parser } from "./real-parser.ts";

const inner = (source: string): InnerCommands | undefined => innerCommands(anyCommand(source), parser);
const sources = (found: InnerCommands | undefined) => found?.commands.map(({ source }) => source);

describe("each row of the launchers", () => {
  const rows = [...LAUNCHER_EXAMPLES, ...COMMAND_FLAG_EXAMPLES];

  test("starts what its examples say, and nothing of them is unknown", () => {
    const examples = rows.flatMap(({ matches }) => matches);
    const found = examples.map(([source]) => [source, sources(inner(source)) ?? [], inner(source)?.unknown ?? []]);
    expect(found).toEqual(examples.map(([source, commands]) => [source, [...commands], []]));
  });

  test("has examples of what can't be known, and says so", () => {
    const wrong = rows.flatMap(({ name, matches, unknowns }) =>
      unknowns.length === 0 || (matches.length === 0 && unknowns.length === 0)
        ? [`${name}: no examples`]
        : unknowns.filter((source) => {
            const found = inner(source);
            const isUnknown = (found?.unknown.length ?? 0) > 0 || found?.commands.some((one) => one.unknown.length > 0);
            return !isUnknown;
          }),
    );
    expect(wrong).toEqual([]);
  });

  test("is transparent only if the table says so", () => {
    const transparent = LAUNCHER_EXAMPLES.filter(({ matches }) =>
      matches.some(([source]) => inner(source)?.isTransparent),
    );
    expect([...new Set(transparent.map(({ name }) => name))].toSorted()).toEqual(
      "builtin command env exec ionice nice noglob nohup stdbuf taskset time timeout".split(" "),
    );
  });
});

describe("the commands that a command starts", () => {
  test.each([
    // Shells.
    ["bash -c 'ls; rm x'", ["ls", "rm x"], true],
    ["sh -c ls", ["ls"], true],
    ["/bin/sh -ec 'make x'", ["make x"], true],
    ["bash -euo pipefail -c 'a && b'", ["a", "b"], true],
    ["bash -c -- 'ls'", ["ls"], true],
    ["bash --norc --noprofile -c ls", ["ls"], true],
    ["bash -c 'rm \"$0\"' x y", ['rm "$0"'], true],
    ["bash -lc 'npm test'", ["npm test"], false],
    ["bash -ic ls", ["ls"], false],
    ["zsh -c 'ls -la'", ["ls -la"], false],
    ["./bash -c ls", ["ls"], false],
    ["node_modules/.bin/env ls", ["ls"], false],
    // xargs.
    ["xargs rm -f", ['rm -f "$@"'], true],
    ["xargs -0 -n 1 -P4 rm", ['rm "$@"'], true],
    ["xargs -I{} mv {} x/{}", ["mv {} x/{}"], true],
    ["xargs -I % sh -c ls", ["sh -c ls"], true],
    ["xargs", ['echo "$@"'], true],
    ["xargs -a list rm", ['rm "$@"'], false],
    // find and fd.
    ["find . -exec rm {} ';'", ["rm {}"], false],
    ["find . -exec grep -l a {} + -exec wc -l {} ';'", ["grep -l a {}", "wc -l {}"], false],
    ["find . -execdir rm {} ';'", ['cd "$@"', "rm {}"], false],
    ["find . -ok rm {} ';'", ["rm {}"], false],
    ["find . -exec sh -c 'rm x' ';'", ["sh -c 'rm x'"], false],
    ["find . -exec echo a + b ';'", ["echo a + b"], false],
    ["fd a -x rm", ['rm "$@"'], false],
    ["fd -Hx rm {} -f", ["rm {} -f"], false],
    ["fd . -X wc -l ';' -x rm", ['wc -l "$@"', 'rm "$@"'], false],
    ["fd . --exec-batch wc", ['wc "$@"'], false],
    // Elsewhere, as somebody else.
    ["ssh -p 22 u@host 'ls; rm x'", ["ls", "rm x"], false],
    ["ssh host -T rm -rf x", ["rm -rf x"], false],
    ["kubectl -n x exec -it pod -c c -- rm x", ["rm x"], false],
    ["su - bob -c 'rm x'", ["rm x"], false],
    ["su -c 'rm x' bob", ["rm x"], false],
    ["runuser -u bob -- rm x", ["rm x"], false],
    // Others.
    ["flock -n l rm x", ["rm x"], false],
    ["flock l -c 'rm x; ls'", ["rm x", "ls"], false],
    ["parallel -j4 gzip -9 ::: a b", ['gzip -9 "$@"'], false],
    ["parallel 'mv {} {.}.bak' ::: a", ['mv "$@" "$@".bak'], false],
    // git.
    ["git bisect run make test", ['cd "$GIT_WORK_TREE"', "make test"], false],
    ["git rebase -x 'make test' main", ['cd "$GIT_WORK_TREE"', "make test"], false],
    [
      "git rebase --exec='make a' --exec 'make b' main",
      ['cd "$GIT_WORK_TREE"', "make a", 'cd "$GIT_WORK_TREE"', "make b"],
      false,
    ],
    ["git submodule foreach --recursive 'git pull; rm x'", ['cd "$GIT_WORK_TREE"', "git pull", "rm x"], false],
    ["git -c alias.x='!rm y' x", ['cd "$GIT_WORK_TREE"', "rm y"], false],
    ["git filter-branch --tree-filter 'rm x' HEAD", ['cd "$GIT_WORK_TREE"', "rm x"], false],
    ["git difftool -x 'rm a'", ['cd "$GIT_WORK_TREE"', "rm a"], false],
    ["git fetch --upload-pack='rm a' .", ['cd "$GIT_WORK_TREE"', "rm a"], false],
    ["git clone -u 'rm a' x y", ['cd "$GIT_WORK_TREE"', "rm a"], false],
  ] as const)("%s", (source, commands, isTransparent) => {
    const found = inner(source);
    expect({ commands: sources(found), isTransparent: found?.isTransparent, unknown: found?.unknown }).toEqual({
      commands: [...commands],
      isTransparent,
      unknown: [],
    });
  });
});

describe("an unknown command is reported, never guessed", () => {
  test.each([
    ["bash"],
    ["sh"],
    ["bash -s"],
    ["bash -"],
    ["bash < script"],
    ["bash <<< 'rm x'"],
    ["bash -c $x"],
    ['bash -c "$x"'],
    ['bash -c "rm $x"'],
    ["bash -O extglob -c ls"],
    ["bash -o posix -c ls"],
    ["bash -k -c ls"],
    ["bash --rcfile x -c ls"],
    ["bash --init-file x -c ls"],
    ["bash $x -c ls"],
    ["bash -c 'echo `'"],
    ["fish -c ls"],
    ["csh -c ls"],
    ["tcsh -c ls"],
    ["pwsh -c ls"],
    // dash and zsh read these otherwise than bash does.
    ["sh -c 'echo $\"a\"; ls'"],
    ["sh -c '[[ a && rm ]]'"],
    ["sh -c '((rm x))'"],
    ["dash -c 'ls &> x'"],
    ["sh -c 'cat <<< x'"],
    ["zsh -c 'echo $((1))'"],
    ["xargs $x"],
    ["xargs --quoll rm"],
    ["xargs -J % -I {} rm"],
    ["xargs -I{} sh -c 'rm {}'"],
    ["find . $x"],
    ["find $x -name a"],
    ['find . "$@"'],
    ["find . -exec rm {}"],
    ["find . -exec"],
    ["fd -x"],
    ["fd -xrm"],
    ["fd $x"],
    ["fd --exec=rm"],
    ["sudo"],
    ["sudo -i"],
    ["su"],
    ["su bob"],
    ["su -c $x"],
    ["ssh host"],
    ["ssh host $x"],
    ["ssh -o ProxyCommand='rm x' host ls"],
    ["ssh -oProxyCommand=x host ls"],
    ["ssh host -o LocalCommand=x ls"],
    ["ssh -F x host ls"],
    ["ssh $x ls"],
    ["ssh -- -oProxyCommand=x ls"],
    ["ssh host 'echo `'"],
    ["kubectl exec pod ls"],
    ["kubectl $x"],
    ["docker exec --quoll web ls"],
    ["parallel"],
    ["parallel ::: 'rm a' ls"],
    ["parallel '{= system q(id) =}' ::: a"],
    ["parallel --quoll ls ::: a"],
    ["parallel {} ::: rm"],
    ["flock l"],
    ["flock --quoll l ls"],
    ["git $x"],
    ["git -c $x log"],
    ["git -c core.pager='rm x' log"],
    ["git -c core.sshCommand=x fetch"],
    ["git -c core.hooksPath=x commit"],
    ["git -c core.fsmonitor=x status"],
    ["git -c diff.external=x diff"],
    ["git -c filter.a.clean=x add b"],
    ["git -c credential.helper='!x' fetch"],
    ["git -c include.path=x log"],
    ["git -c protocol.ext.allow=always fetch"],
    ["git -c alias.x='log --exec y' x"],
    ["git -ccore.pager=x log"],
    ["git --config-env=core.pager=A log"],
    ["git --exec-path=x log"],
    ["git clone ext::sh% x"],
    ["git clone -c core.sshCommand=x u"],
    ["git clone --config=core.fsmonitor=x u"],
    ["git clone --conf core.fsmonitor=x u"],
    ["git grep -Oless x"],
    ["git grep -nO x"],
    ["git grep --open-files-in-pager=x y"],
    ["git rebase -x $x main"],
    ["git fetch --upload-pack=$x ."],
    ["sort --compress-program=$x a"],
    ["git submodule foreach $x"],
    ["tar cf a b --checkpoint-action=exec=sh"],
    ["tar xf a -I $x"],
    ["watch $x"],
  ])("%s", (source) => {
    const { commands, unknown } = allInner(anyCommand(source), parser);
    expect([...unknown, ...commands.flatMap(({ command }) => command.unknown)]).not.toEqual([]);
    expect(isHarmless(source)).toBe(false);
  });
});

describe("a command that starts nothing from its words", () => {
  test.each([
    ["ls"],
    ["make test"],
    ["npm run build"],
    ["npx tsc --noEmit"],
    ["bash script.sh -c x"],
    ["bash ./a.sh"],
    ["bash --version"],
    ["python3 -c 'import os'"],
    ["node -e 1"],
    ["perl -e 1"],
    ["find . -name a"],
    ['find "$dir" -type f'],
    ["fd -tx a"],
    ["fd -e ts a"],
    ["sudo -l"],
    ["sudo -v"],
    ["env"],
    ["command -v ls"],
    ["git status"],
    ["git -c color.ui=never log"],
    ["git -C x log"],
    ["git commit -c HEAD"],
    ["docker ps"],
    ["docker run alpine"],
    ["kubectl get pods"],
    ["flock 9"],
    ["ssh -V"],
    ["rg foo"],
    ["sort a"],
    ["tar xf a"],
    ["eval"],
  ])("%s", (source) => {
    expect(launchOf(anyCommand(source))).toBeUndefined();
  });
});

const word = (value: string) => ({ source: value, value, isGlob: false });

describe("eval", () => {
  const evaluated = (...values: readonly string[]) =>
    innerCommands({ ...firstCommand("ls"), words: ["eval", ...values].map(word), source: "eval" }, parser);

  test("joins its words by blanks and reads them as this shell does", () => {
    const found = evaluated("ls;", "rm", "-rf x");
    expect({ commands: sources(found), isTransparent: found?.isTransparent }).toEqual({
      commands: ["ls", "rm -rf x"],
      isTransparent: true,
    });
  });

  test("of unknown words is unknown", () => {
    const unknown = { source: '"$x"', value: undefined, isGlob: false };
    const found = innerCommands({ ...firstCommand("ls"), words: [word("eval"), unknown] }, parser);
    expect({ ...found }).toEqual({ commands: [], isTransparent: false, unknown: ['"$x"'] });
    expect(evaluated("echo `")?.unknown.length).toBeGreaterThan(0);
  });
});

test("an inner command has the outer one's assignments and place, and not its redirects", () => {
  const found = inner("A=1 sudo -u bob B=2 xargs rm > out");
  expect(found?.commands).toEqual([
    {
      source: "xargs rm",
      words: [word("xargs"), word("rm")],
      assignments: [
        { name: "A", source: "A=1", value: word("1") },
        { name: "B", source: "B=2", value: word("2") },
      ],
      redirects: [],
      conditional: true,
      within: ["elevated"],
      unknown: [],
    },
  ]);
  const script = inner("A=1 bash -c 'B=2 ls > x; cd y'");
  expect(
    script?.commands.map(({ assignments, redirects, conditional, within }) => ({
      names: assignments.map(({ name }) => name),
      redirects: redirects.map(({ source }) => source),
      conditional,
      within,
    })),
  ).toEqual([
    { names: ["A", "B"], redirects: ["> x"], conditional: false, within: ["script"] },
    { names: ["A"], redirects: [], conditional: false, within: ["script"] },
  ]);
});

test("a command whose name is known only at run time is unknown", () => {
  const names = ["find . -exec {} x ';'", "xargs -I{} {} x"].map((source) => inner(source)?.commands[0]?.unknown);
  expect(names).toEqual([["{}"], ["{}"]]);
});

describe("all levels", () => {
  test("are expanded, each before what it starts", () => {
    const found = allInner(firstCommand("timeout 5 sudo bash -c 'ls | xargs rm; env A=1 make'"), parser);
    expect({
      ...found,
      commands: found.commands.map(({ command, isTransparent }) => [command.source, command.within, isTransparent]),
    }).toEqual({
      commands: [
        ["timeout 5 sudo bash -c 'ls | xargs rm; env A=1 make'", [], false],
        ["bash -c 'ls | xargs rm; env A=1 make'", ["elevated"], true],
        ["ls", ["elevated", "script"], false],
        ["xargs rm", ["elevated", "script"], true],
        ['rm "$@"', ["elevated", "script", "arguments"], false],
        ["env A=1 make", ["elevated", "script"], false],
      ],
      unknown: [],
    });
  });

  test("beyond eight levels the rest is unknown", () => {
    const nested = (depth: number) => `${"setsid ".repeat(depth)}ls`;
    expect(allInner(firstCommand(nested(8)), parser).unknown).toEqual([]);
    const deep = allInner(firstCommand(nested(9)), parser);
    expect(deep.unknown).toEqual(["setsid ls"]);
    expect(deep.commands.length).toBe(9);
  });

  test("beyond two hundred commands the rest is unknown", () => {
    const many = allInner(firstCommand(`bash -c '${"ls;".repeat(250)}'`), parser);
    expect(many.commands.length).toBe(200);
    expect(many.unknown.length).toBe(51);
  });
});

describe("a transparent command is as harmless as what it starts", () => {
  test.each([
    ["bash -c 'ls -la; git status'", true],
    ["env -- git log", true],
    ["timeout 5 bash -c 'cat a'", true],
    ["nice -n 5 sh -c 'wc -l a'", true],
    ["xargs echo", true],
    ["xargs cat", false],
    ["bash -c 'ls > x'", false],
    ["bash -c 'npm test'", false],
    ["bash -lc ls", false],
    ["env -i ls", false],
    ["env -u GIT_OPTIONAL_LOCKS git status", false],
    ["sudo ls", false],
    ["watch ls", false],
    ["LD_PRELOAD=x bash -c ls", false],
    ["BASH_ENV=x bash -c ls", false],
    ["find . -exec ls {} +", false],
  ] as const)("%s: %p", (source, expected) => {
    expect(isHarmless(source)).toBe(expected);
  });
});
