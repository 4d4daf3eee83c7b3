import { expect, test } from "bun:test";
import { classify } from "../src/classify.ts";
import { allInner } from "../src/inner-commands.ts";
import { OPTION_TABLES } from "../src/tables/options.ts";
import { PROGRAM_OPTIONS } from "../src/tables/options-programs.ts";
import { commandsOf, firstCommand } from "./judge.ts";
import { parser } from "./real-parser.ts";

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
    code: [
      "-P ./x ls",
      "--pager=./x ls",
      "-H./x ls",
      "--html=./x ls",
      "-C cfg ls",
      "-M dir ls",
      "-p x ls",
      "-l x.1",
      "./x.1",
    ],
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
  perf: { code: ["script -s x", "report --objdump=./x", "--exec-path=x stat ls"], plain: ["stat ls"] },
  lldb: { code: ["-o 'shell id' p", "-s cmds p", "--source f p", "-K x p"], plain: ["p"] },
  apt: { code: ["-o Dpkg::Pre-Invoke::=id update", "-c x update"], plain: ["list --installed"] },
  dpkg: { code: ["--pre-invoke=id -l"], plain: ["-l"] },
  rpm: { code: ["--eval '%(id)'", "-E '%(id)'", "--pipe id -qa", "--define x -q"], plain: ["-qa"] },
  nmap: { code: ["--script=./x h", "--script ./x h"], plain: ["-sV h", "--script=default h"] },
  ncat: { code: ["--exec id h 1", "-c id h 1", "--lua-exec x"], plain: ["-z h 80"] },
  socat: { code: ["EXEC:id -", "- SYSTEM:id"], plain: ["- TCP:h:80"] },
  tcpdump: { code: ["-z ./x -w o"], plain: ["-i eth0 port 80"] },
  ip: { code: ["netns exec x id", "net e x id", "vrf exec x id", "-b f", "-batch f"], plain: ["addr show"] },
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
  just: {
    code: ["--shell ./x a", "--command id", "--chooser ./x", "-f x a", "--choose", "-E x a"],
    plain: ["build", "-f ops/justfile a", "-f a.just b"],
  },
  systemctl: { code: ["edit x", "link ./x", "-H h status"], plain: ["status x", "restart x"] },
  // A path of the project is judged with the folder: see command-subjects.ts.
  file: { code: ["-m magic a"], plain: ["a", "-b a"] },
  "clang-tidy": { code: ["-load ./x a.c", "-p ../x a.c", "--config-file=x a.c"], plain: ["a.c"] },
  flake8: { code: ["--config=../x a", "--append-config=x a"], plain: ["src"] },
  duckdb: {
    code: ["-c '.sh id'", "a.db '.shell id'", "-init x", "-cmd x a", "a.db 'load x'"],
    plain: ["-c 'select 1'"],
  },
  ffmpeg: { code: ["-i a -vf frei0r=x b", "-i a -af ladspa=file=x b"], plain: ["-i a -vf scale=1:1 b"] },
  mold: { code: ["-run id", "--run id"], plain: ["-o a b.o"] },
  tcc: { code: ["-run a.c", "-runx a.c"], plain: ["-c a.c"] },
  rustdoc: { code: ["--test-builder x a", "--runtool x a", "-C linker=x a"], plain: ["a.rs"] },
  "ssh-keygen": { code: ["-D x.so", "-w x.so -t ed25519-sk", "-lD ./x.so"], plain: ["-t ed25519 -f a"] },
  "ssh-add": { code: ["-s x.so", "-S x.so"], plain: ["-l"] },
  "ssh-copy-id": { code: ["-F x h", "-o ProxyCommand=x h"], plain: ["h"] },
  mutt: { code: ["-e x", "-F x"], plain: ["-s a b"] },
  mail: { code: ["-S x=y a", "-~ a"], plain: ["-s a b"] },
  msmtp: { code: ["-C x a", "--passwordeval=id a"], plain: ["a"] },
  ctags: { code: ["--options=x a"], plain: ["-R ."] },
};

/** Other spellings of the same: the beginning of a long option, glued values, variants of a program's name. */
const SPELLINGS: readonly (readonly [code: string, plain: string])[] = [
  ["emacs --ev x", "emacs --no-window a"],
  ["emacs --ev=x", "emacs --debug-init a"],
  ["man --pag=id ls", "man --all ls"],
  ["vim --remote-se x", "vim --cleanish a"],
  ["mysql --exe='system id'", "mysql --exe='select 1'"],
  ["mysql --pag=id", "mysql --password db"],
  ["ld -plugin-opt=x a.o", "ld -pie a.o"],
  ["tar cfI a ./x b", "tar cfz a b"],
  ["tar xMFf ./x a", "tar tvf a"],
  ["zip -TT./x a b", "zip -rq a b"],
  ["zip -r -TTid a b", "zip -T a"],
  ["gcc-13 -wrapper id a.c", "gcc-13 -O2 a.c"],
  ["x86_64-linux-gnu-gcc -B. a.c", "x86_64-linux-gnu-gcc -c a.c"],
  ["arm-none-eabi-g++-12 -specs=x a.c", "arm-none-eabi-g++-12 a.c"],
  ["clang++-17 --config=x a.c", "clang++-17 a.c"],
  ["ld.gold --plugin x a.o", "ld.gold a.o"],
  ["llvm-ar-17 @x", "llvm-ar-17 t a"],
  ["vim.tiny -c '!id' a", "vim.tiny a"],
  ["bmake -f x.mk", "bmake all"],
  ["samu -f x.ninja", "samu -C build"],
  ["gcc -Wl,-plugin,x a.c", "gcc -Wl,-rpath,x a.c"],
  ["gcc -Wl,--plugin=x a.c", "gcc -Wl,--as-needed a.c"],
  ["gcc -Wl,-O1,@x a.c", "gcc -Wall a.c"],
  ["cmake --build . -- SHELL=x", "cmake --build . -- -j4 all"],
  ["cmake --build . -- -f x", "cmake --build . --target x"],
  ["cargo rustc -- -C linker=x", "cargo rustc -- --emit=asm"],
  ["cargo rustc -- -Clinker=x", "cargo test -- --nocapture"],
  ["git archive --remote=x HEAD", "git archive -o a.tar HEAD"],
  ["gradle -g x test", "gradle test"],
  ["gradle --gradle-user-home=x test", "gradle --offline test"],
];

test("other spellings of an option or of a program's name change nothing", () => {
  expect(SPELLINGS.filter(([code]) => !asks(code)).map(([code]) => code)).toEqual([]);
  expect(SPELLINGS.filter(([, plain]) => asks(plain)).map(([, plain]) => plain)).toEqual([]);
});

test("a client that reads its commands from its input asks unless that text is known to start nothing", () => {
  const code = [
    ...["sqlite3 a.db < x", "sqlite3 a.db <<< '.shell id'", "sqlite3 a.db <<E\n.sh id\nE"],
    ...["psql db <<< '\\! id'", "psql db < /x/a.sql", 'psql db <<< "$x"', "psql -At db < ../a.sql"],
    ...["mysql db < a.sql", "mysql db <<< 'system id'", "duckdb a.db < x", "duckdb a.db <<< '.sh id'"],
    ...["sftp host <<< '!id'", "dc <<< '!id'"],
  ];
  const plain = [
    ...["sqlite3 a.db 'select 1'", "sqlite3 a.db <<< 'select 1'", "sqlite3 -version", "sqlite3 -json a.db .tables"],
    ...["psql -c 'select 1' db", "psql db < a.sql", "psql db <<E\nselect 1;\nE", "psql -l", "psql --version"],
    ...[
      "mysql -e 'select 1' db",
      "mysql db <<< 'select 1'",
      "mysql --version",
      "duckdb a.db 'select 1'",
      "duckdb -version",
    ],
    ...["sftp host <<< 'ls'", "dc <<< '1 2 + p'"],
  ];
  expect(code.filter((one) => !asks(one))).toEqual([]);
  expect(plain.filter(asks)).toEqual([]);
  const piped = [
    ...["cat a | sqlite3 a.db", "cat a | psql db", "cat a |& mysql -u root db", "cat a | timeout 5 duckdb a.db"],
    ...["{ sqlite3 a.db; } < a", "while true; do psql db; done < a", "cat a | { true; dc; }", "cat a | sudo psql db"],
    ...["cat a | bash -c 'psql db'", "xargs psql db < a"],
  ];
  const unpiped = ["cat a | sqlite3 a.db 'select 1'", "psql db | cat", "mysql db > out", "cat a | psql -c 'select 1'"];
  const anyAsks = (source: string) =>
    commandsOf(source)
      ?.flatMap((one) => [one, ...allInner(one, parser).commands.map(({ command }) => command)])
      .some((one) => classify(one).uncovered.some(({ isCode }) => isCode)) ?? true;
  expect(piped.filter((one) => !anyAsks(one))).toEqual([]);
  expect(unpiped.filter(anyAsks)).toEqual([]);
});

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
