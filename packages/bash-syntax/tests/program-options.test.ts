import { expect, test } from "bun:test";
import { classify } from "../src/classify.ts";
import { OPTION_TABLES } from "../src/tables/options.ts";
import { PROGRAM_OPTIONS } from "../src/tables/options-programs.ts";
import { firstCommand } from "./judge.ts";

/** True if an allow rule with a wildcard for the program does not cover the command. */
function asks(source: string): boolean {
  const { uncovered, hasUnsaidEffects } = classify(firstCommand(source));
  return uncovered.length > 0 || hasUnsaidEffects;
}

/** For each program: calls that take a program from a file or an argument, and ordinary calls. */
const CALLS: Readonly<Record<string, { readonly code: readonly string[]; readonly plain: readonly string[] }>> = {
  awk: {
    code: ["-f p.awk a", "-fp.awk a", "--file=p.awk a", "-F: -f p.awk a", "-i lib '{print}' a", "-l ext 1 a", "-E p a"],
    plain: ["'{print $1}' a", "-F: -v x=1 '{print x}' a"],
  },
  sed: { code: ["-f s.sed a", "-fs.sed a", "--file=s.sed a", "1e a"], plain: ["-i s/a/b/ a", "-n 1,5p a"] },
  ed: { code: ["a", "-s a"], plain: ["--version"] },
  ex: { code: ["a", "-s a"], plain: [] },
  vim: {
    code: [
      ...["-c '!id' a", "-c q a", "+'!id' a", "+q a", "-S s.vim a", "-Ss.vim a", "-u rc a", "-U rc a", "--cmd x a"],
      ...["-s keys a", "-es a", "-e a", "-i info a", "-q errors", "--remote-send ':q<CR>'", "--servername x a"],
    ],
    plain: ["a", "+12 a", "+/text a", "+ a", "-R a b", "-d a b", "-O a b"],
  },
  nvim: { code: ["-l x.lua", "--listen x", "--headless +q", "--server x --remote-expr y"], plain: ["a", "+3 a"] },
  emacs: {
    code: [
      ...["--eval '(x)'", "-eval x", "--batch -l x.el", "-Q --script x.el", "--load=x", "-f fn", "--funcall fn"],
      ...["--execute x", "-x s.el", "-L dir a", "--init-directory=x"],
    ],
    plain: ["-nw a", "-Q a"],
  },
  emacsclient: { code: ["-e '(x)'", "--eval x", "-a ./x f"], plain: ["a"] },
  nano: { code: ["--speller='sh -c id' a", "-s id a", "--rcfile=x a"], plain: ["a"] },
  less: {
    code: ["-k keys a", "--lesskey-src=x a", "--lesskey-content=x a", "'+!id' a", "+q a", "++q a"],
    plain: ["a", "-N a", "+F a", "+/text a", "-SR a"],
  },
  man: {
    code: ["-P ./x ls", "--pager=./x ls", "-H./x ls", "--html=./x ls", "-C cfg ls", "-M dir ls", "-p x ls", "-l x.1"],
    plain: ["ls", "3 printf", "-k text", "-P cat ls", "--pager=cat ls"],
  },
  bat: { code: ["--pager ./x a", "--config-file x a", "cache --build"], plain: ["a", "-p a", "--style=plain a"] },
  delta: { code: ["--pager ./x a b"], plain: ["a b"] },
  ag: { code: ["--pager ./x foo"], plain: ["foo src"] },
  ack: { code: ["--pager=./x foo", "--ackrc=x foo"], plain: ["foo src"] },
  fd: { code: ["-x id", "--exec id", "-X id", "a --exec-batch id"], plain: ["foo", "-e ts foo src"] },
  bsdtar: { code: ["--use-compress-program ./x -cf a b"], plain: ["-tf a"] },
  gtar: { code: ["--to-command=id -xf a", "-I ./x -cf a b"], plain: ["-tf a"] },
  jq: { code: ["-f p a", "--from-file p a", "-nf p", "-L lib . a"], plain: [". a", "-r .x a", "--arg a b . a"] },
  yq: { code: ["--from-file p a", "'load(\"x\")' a", "'env(X)' a"], plain: [".env a", ".a.b a", "-i '.a=1' a"] },
  mysql: {
    code: ["-e 'system id'", "-e '\\! id'", "-e 'source f'", "--pager=./x", "--init-command=x", "--defaults-file=x"],
    plain: ["-e 'select 1'", "-u root db"],
  },
  "redis-cli": {
    code: ["--eval s.lua", "eval 'x' 0", "config set dir x", "module load x"],
    plain: ["get a", "-x set a"],
  },
  openssl: { code: ["engine -t ./x", "req -engine ./x", "list -provider-path d"], plain: ["dgst -sha256 a"] },
  gpg: { code: ["--agent-program ./x -k", "--exec-path d -k", "--options f -k"], plain: ["-k", "--verify a"] },
  pandoc: {
    code: ["-F ./x a", "--filter=./x a", "-L x.lua a", "--pdf-engine=./x a", "-t x.lua a", "--from=./x a", "-d f a"],
    plain: ["a -o b", "-t html a", "-f gfm+x a"],
  },
  magick: { code: ["-script x", "msl:x b"], plain: ["a.png b.jpg"] },
  pdflatex: {
    code: ["-shell-escape a", "--shell-escape a", "--enable-write18 a"],
    plain: ["a", "-interaction=nonstopmode a"],
  },
  latexmk: { code: ["-e x a", "-r x a", "-pdflatex=./x a"], plain: ["-pdf a"] },
  dc: { code: ["-e '!id'", "-f x"], plain: [] },
  gcc: {
    code: [
      "-B ./x a.c",
      "-B./x a.c",
      "-wrapper ./x a.c",
      "-specs=./x a.c",
      "-fplugin=./x a.c",
      "@args",
      "-fuse-ld=./x a.c",
    ],
    plain: ["-O2 -Wall -Iinc -DX=1 -c a.c -o a.o", "-std=c11 -fPIC a.c", "-fuse-ld=lld a.c"],
  },
  clang: {
    code: ["-fplugin=./x a.c", "-Xclang -load a.c", "--config x a.c", "-fpass-plugin=./x a.c", "--ld-path=./x a.c"],
    plain: ["-O2 -c a.c"],
  },
  ld: { code: ["-plugin ./x a.o", "@args", "-T script a.o"], plain: ["a.o -o a"] },
  ar: { code: ["--plugin ./x r a b"], plain: ["t a"] },
  rustc: {
    code: ["-C linker=./x a.rs", "-Clinker=./x a.rs", "--codegen linker=./x a.rs", "-Zx a.rs", "@args"],
    plain: ["a.rs", "-C opt-level=3 a.rs", "-O a.rs"],
  },
  javac: {
    code: ["-processor x A.java", "-processorpath d A.java", "-J-javaagent:x A.java", "-Xplugin:x A.java", "@args"],
    plain: ["-d out A.java", "-Xlint:all A.java"],
  },
  ghc: { code: ["-F -pgmF ./x a", "-e x"], plain: ["-O2 a.hs"] },
  protoc: { code: ["--plugin=./x a", "@args"], plain: ["--proto_path=d a.proto"] },
  cmake: {
    code: ["-P x.cmake", "-E touch x", "-C init.cmake .", "-DCMAKE_C_COMPILER=./x .", "-D CMAKE_PROJECT_INCLUDE=x ."],
    plain: [
      "-S . -B build",
      "--build build -j4",
      "-DCMAKE_BUILD_TYPE=Release .",
      "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON .",
    ],
  },
  ctest: { code: ["-S x.cmake", "-SP x", "--build-and-test a b"], plain: ["--output-on-failure", "-j4"] },
  make: {
    code: ["-f other.mk", "-fother.mk", "--file=/x/Makefile", "-f ../Makefile", "SHELL=./x all", "--eval=x"],
    plain: ["all", "-j4 test", "-f Makefile.dev build", "-f ops/Makefile x"],
  },
  tsc: { code: ["@args"], plain: ["--noEmit"] },
  pylint: { code: ["--load-plugins=x a", "--init-hook=x a"], plain: ["src"] },
  rubocop: { code: ["-r ./x a", "--require ./x a"], plain: ["-A src"] },
  stylelint: {
    code: ["--custom-syntax=./x a", "--custom-formatter ./x a", "-f ./x a"],
    plain: ["--fix src", "-f json a"],
  },
  markdownlint: { code: ["-r ./x a"], plain: ["docs"] },
  commitlint: { code: ["-x ./x", "-o ./x"], plain: ["--edit a"] },
  webpack: { code: ["-r ./x", "--require ./x"], plain: ["--mode production"] },
  babel: { code: ["--plugins=./x a", "--presets ./x a"], plain: ["--presets @babel/preset-env a"] },
  rollup: { code: ["-p ./x", "--plugin=./x", "--configPlugin ./x"], plain: ["-p node-resolve a.js"] },
  rake: { code: ["-e 'id'", "-f x", "-r ./x a", "-I d a", "-p x"], plain: ["test", "-T", "-f Rakefile db:x"] },
  ant: { code: ["-f x.xml", "-buildfile ../build.xml", "-lib d", "-logger x"], plain: ["test", "-f build-dev.xml x"] },
  ninja: { code: ["-f x.ninja"], plain: ["-C build -j4", "-t clean"] },
  gulp: { code: ["--gulpfile x", "--require ./x"], plain: ["build", "-f gulpfile.mjs x"] },
  rspec: { code: ["-r ./x", "-I d", "-f ./x", "-O x"], plain: ["spec", "-f doc"] },
  phpunit: { code: ["--prepend x", "--printer x"], plain: ["tests"] },
  nodemon: { code: ["--exec id", "-x id"], plain: ["a.js"] },
  "lint-staged": { code: ["--shell ./x"], plain: ["--debug"] },
  perf: { code: ["script -s x"], plain: ["stat ls"] },
  lldb: { code: ["-o 'shell id' p", "-s cmds p", "--source f p", "-K x p"], plain: ["p"] },
  apt: { code: ["-o Dpkg::Pre-Invoke::=id update", "-c x update"], plain: ["list --installed"] },
  dpkg: { code: ["--pre-invoke=id -l"], plain: ["-l"] },
  rpm: { code: ["--eval '%(id)'", "-E '%(id)'", "--pipe id -qa", "--define x -q"], plain: ["-qa"] },
  nmap: { code: ["--script=./x h", "--script ./x h"], plain: ["-sV h", "--script=default h"] },
  ncat: { code: ["--exec id h 1", "-c id h 1", "--lua-exec x"], plain: ["-z h 80"] },
  socat: { code: ["EXEC:id -", "- SYSTEM:id"], plain: ["- TCP:h:80"] },
  tcpdump: { code: ["-z ./x -w o"], plain: ["-i eth0 port 80"] },
  ip: { code: ["netns exec x id", "-b f", "-batch f"], plain: ["addr show"] },
  hg: { code: ["--config alias.x='!id' x", "--config=hooks.x=id st"], plain: ["status"] },
  svn: { code: ["diff --diff-cmd ./x", "--config-option=x st", "--editor-cmd=./x ci"], plain: ["status"] },
  rclone: { code: ["--password-command=./x ls r", "--config x ls r"], plain: ["ls r:"] },
  restic: { code: ["--password-command ./x snapshots", "-o rclone.program=./x ls"], plain: ["snapshots"] },
  borg: { code: ["--rsh ./x list", "create --remote-path ./x r"], plain: ["list"] },
  lynx: { code: ["-cfg=x y", "-editor=./x y"], plain: ["-dump y"] },
  w3m: { code: ["-config x y", "-o pager=./x y"], plain: ["-dump y"] },
  helm: {
    code: ["plugin install x", "template . --post-renderer=./x", "--kubeconfig x list"],
    plain: ["list", "lint c"],
  },
  just: { code: ["--shell ./x a", "--command id", "--chooser ./x"], plain: ["build"] },
  systemctl: { code: ["edit x", "link ./x", "-H h status"], plain: ["status x", "restart x"] },
  // A path of the project is judged with the folder: see command-subjects.ts.
  file: { code: ["-m magic a"], plain: ["a", "-b a"] },
  "clang-tidy": { code: ["-load ./x a.c", "-p ../x a.c", "--config-file=x a.c"], plain: ["a.c"] },
  flake8: { code: ["--config=../x a", "--append-config=x a"], plain: ["src"] },
  ctags: { code: ["--options=x a"], plain: ["-R ."] },
};

test.each(Object.entries(CALLS))(
  "a rule for %s covers ordinary calls, and none that takes a program from elsewhere",
  (name, calls) => {
    expect(calls.code.filter((one) => !asks(`${name} ${one}`))).toEqual([]);
    expect(calls.plain.filter((one) => asks(`${name} ${one}`))).toEqual([]);
  },
);

test("every table of such programs has a call of its own here, or shares the table of one", () => {
  const tried = PROGRAM_OPTIONS.filter(({ name }) => CALLS[name]);
  const isTried = (flags: string) => tried.some((table) => table.flags === flags);
  expect(PROGRAM_OPTIONS.filter(({ flags }) => !isTried(flags)).map(({ name }) => name)).toEqual([]);
});

test("each program has one table", () => {
  const names = OPTION_TABLES.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
