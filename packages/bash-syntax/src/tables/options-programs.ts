import type { OptionTable } from "../option-table.ts";

/** `+12`, `+/text` and `+G` move in a file; any other word after `+` is a command of the editor or pager. */
const PLUS_COMMAND = /^\+(?!(?:\d*|\/.*|[GF])$)/s;
/** The options that some programs read from a file. */
const ARGUMENTS_FILE = /^@/;

/** Names of installed packages. */
const PACKAGES = /^@?[\w-]+(?:\/[\w-]+)*(?:,@?[\w-]+(?:\/[\w-]+)*)*$/;
/** Commands of the mysql client that start a program or read and write files. */
const MYSQL_CODE =
  /\\[!.TPe]|(?:^|[;\n])\s*(?:system|source|tee|pager|edit)\b|\binto\s+(?:out|dump)file\b|\bload_file\s*\(/i;

const VIM: Omit<OptionTable, "name"> = {
  flags: `-A -b -c=! -C -d -D -e! -E! -es! -Es! -f -g -h -H -i=! -l -L -m -M -n -N -o -O -p -q=! -r -R -s=! -S=! -t= -T= -u=! -U=! -v -V? -w=> -W=> -x -X -y -Z
    -- --cmd=! --clean --headless --startuptime=> --listen=! --server=! --servername=! --remote! --remote-expr=! --remote-send=! --remote-silent! --remote-tab!
    --remote-wait! --remote-ui! --embed! --api-info --noplugin --not-a-term`,
  refusedOperand: PLUS_COMMAND,
  isOpen: true,
};
const EMACS: Omit<OptionTable, "name"> = {
  flags: `-batch -q -Q -nw -nl -D -d= -f=! -l=! -L=! -u=! -x=! -t= -kill -funcall=! -load=! -eval=! -execute=! -script=! -insert= -directory=! -user=! -daemon?
    -init-directory=! -chdir= -e=! -socket-name= -server-file= -alternate-editor=! -a=!`,
  singleDash: true,
  isOpen: true,
};
/** Words for rustc that name neither its linker nor other code. */
export const RUSTC_PLAIN = /^(?!-C|--codegen|-Z|@|linker|link-arg)/;
/** Words that gcc passes on to the linker and others, and by which these load code or read options. */
const LINKER_CODE = /^-W[alp],(?:.*,)?(?:--?plugin|-fplugin|-load|@)/;
const CC: Omit<OptionTable, "name"> = {
  flags: `-B=! -wrapper=! -specs=! --specs=! -fplugin=! -fpass-plugin=! -fuse-ld=! -Xclang=! -load=! -plugin=! --plugin=! --config=! --ld-path=! --gcc-toolchain=! --gcc-install-dir=! -ccc-gcc-name=! -o=> -I= -L= -D= -l=
    -x= -c -E -S -g -O -W -f -m -std=`,
  plain: [[/^-fuse-ld$/, /^(?:lld|gold|bfd|mold)$/]],
  refusedOption: LINKER_CODE,
  refusedOperand: ARGUMENTS_FILE,
  isOpen: true,
};
const TEX: Omit<OptionTable, "name"> = {
  flags: "-shell-escape! -enable-write18! -output-directory=> -cnf-line=! -fmt=! -progname=! -translate-file=!",
  singleDash: true,
  isOpen: true,
};
const NM: Omit<OptionTable, "name"> = { flags: "--plugin=!", refusedOperand: ARGUMENTS_FILE, isOpen: true };

function each(names: string, table: Omit<OptionTable, "name">): readonly OptionTable[] {
  return names.split(" ").map((name) => ({ name, ...table }));
}

function open(name: string, flags: string, more: Partial<OptionTable> = {}): OptionTable {
  return { name, flags, isOpen: true, ...more };
}

/**
 * Programs whose ordinary use runs no code, with the options that take a program, a script or a plug-in from a file or
 * from an argument; every other option is covered by a rule. `awk`, `sed` and `ed` are in unsaid-effects.ts.
 */
export const PROGRAM_OPTIONS: readonly OptionTable[] = [
  // Editors and pagers
  ...each("vi vim view vimdiff rvim rview gvim gview vimtutor", VIM),
  { name: "nvim", ...VIM, flags: `${VIM.flags} -l=!` },
  ...each("emacs emacsclient", EMACS),
  open("nano", "-s=! --speller=! -f=! --rcfile=! -C=> --backupdir=> -o= --operatingdir="),
  open(
    "less",
    `-a -c -C -d -e -E -f -F -g -G -i -I -J -m -M -n -N -q -Q -r -R -s -S -u -U -V -w -W -X -k=! -K -o=> -O=> -t= -T= --log-file=> --LOG-FILE=> --lesskey-file=!
    --lesskey-src=! --lesskey-content=!`,
    { refusedOperand: PLUS_COMMAND },
  ),
  ...each("more most zless", { flags: "", refusedOperand: PLUS_COMMAND, isOpen: true }),
  open(
    "man",
    `-a -c -d -D -f -i -I -k -K -t -u -w -W -Z -5 -7 -? -P=! --pager=! -H! -C=! --config-file=! -B=! -M=! --manpath=! -p=! --preprocessor=! -T?
    --html! --gxditview! --local-file! -l!`,
    // A page that is a file may start a formatter's programs.
    { refusedOperand: /\//, plain: [[/^(?:-P|--pager)$/, /^(?:cat|less|more)?$/]] },
  ),
  ...each("bat batcat", {
    flags: "-p -n -A -f -u -P --pager=! --config-file=! --completion=",
    refusedOperand: /^cache$/,
    isOpen: true,
  }),
  open("delta", "--pager=! --config=! --features="),
  open("ag", "--pager=!"),
  open("bsdtar", "--use-compress-program=!"),
  open("ack", "--pager=! --ackrc=! --output=!"),
  // Data
  open("yq", "-n -r -P -i -e -C -M -j -o= -p= -I= --from-file=!", {
    refusedOperand: /\b(?:load\w*|system|eval|envsubst|env|strenv)\s*\(|\$ENV\b/,
  }),
  ...each("mysql mariadb", {
    isOpen: true,
    refused: [[/^(?:-e|--execute)$/, MYSQL_CODE]],
    readsCommands: { unless: ["-e", "--execute", "-V", "--version", "-?", "--help", "-I"], code: MYSQL_CODE },
    flags: `-u= -p? -h= -P= -D= -N -B -s -t -e= -A -v --execute= --pager=! --init-command=! --init-command-add=! --defaults-file=! --defaults-extra-file=! --plugin-dir=! --tee=>
    --user= --host= --database=`,
  }),
  open("redis-cli", "-h= -p= -a= -n= -u= --user= --pass= -r= -i= --eval=! --functions-rdb=> --rdb=> --pipe! -x", {
    refusedOperand: /^(?:eval|evalsha|fcall|function|module|config|script|debug)$/i,
  }),
  open("openssl", "-engine=! -provider=! -provider-path=! -config=! -out=> -writerand=>", {
    singleDash: true,
    refusedOperand: /^engine$/,
  }),
  open(
    "gpg",
    `--agent-program=! --dirmngr-program=! --photo-viewer=! --exec-path=! --options=! --homedir=! --keyboxd-program=! --pinentry-program=! --show-photos!
    --output=> -o=>`,
  ),
  open(
    "pandoc",
    "-F=! --filter=! -L=! --lua-filter=! --pdf-engine=! --pdf-engine-opt=! -d=! --defaults=! --data-dir=! -f= -r= -t= -w= --from= --read= --to= --write= -o=> --output=> --extract-media=>",
    {
      refused: [[/^(?:-[frtw]|--(?:from|read|to|write))$/, /\.lua$|\//]],
    },
  ),
  ...each("convert magick mogrify identify composite", {
    flags: "-script=! -process=!",
    refusedOperand: /^(?:msl|mvg|ephemeral|script):/i,
    isOpen: true,
  }),
  ...each("latex pdflatex lualatex xelatex tex pdftex luatex xetex", TEX),
  open(
    "latexmk",
    "-e=! -r=! -pdflatex=! -latex=! -lualatex=! -xelatex=! -shell-escape! -usepretex=! -outdir=> -auxdir=>",
    { singleDash: true },
  ),
  open("dc", "-e=! --expression=! -f=! --file=!", {
    readsCommands: { unless: ["-e", "-f", "--expression", "--file", "-V", "--version", "-h", "--help"], code: /!/ },
  }),
  // Filters that load a plug-in
  open("ffmpeg", "", { refusedOperand: /\b(?:frei0r|ladspa|lv2|tlut2)\w*=/ }),
  ...each("mutt neomutt", { flags: "-e=! -F=!", isOpen: true }),
  ...each("mail mailx s-nail", { flags: "-S=! -X=! -Y=! -~! -s= -a= -r=", isOpen: true }),
  open("msmtp", "-C=! --file=! --passwordeval=!"),
  open("ssh-keygen", "-D=! -w=! -t= -f= -l -C= -N= -b= -E= -P="),
  open("ssh-add", "-s=! -S=!"),
  open("ssh-copy-id", "-F=! -o=! -i="),
  // Compilers and programs for object files
  ...each("cc c++ gcc g++ gfortran clang clang++ cpp", CC),
  open("tcc", "-run! -B=! -o=>", { refusedOperand: ARGUMENTS_FILE }),
  open("mold", "-run! --run! -plugin=! --plugin=! -o=>", { refusedOperand: ARGUMENTS_FILE }),
  open("ld", "-plugin=! --plugin=! -o=> -T=!", { refusedOperand: ARGUMENTS_FILE }),
  ...each("ar nm objdump ranlib strip gcc-ar gcc-nm", NM),
  open("clang-tidy", "-load=! --load=! -config-file=~ --config-file=~ -p=~"),
  ...each("rustc rustdoc clippy-driver", {
    flags:
      "-C= --codegen= -Z=! -o=> --out-dir=> -O -g --test-builder=! --test-builder-wrapper=! --test-runtool=! --runtool=!",
    isOpen: true,
    refused: [
      [
        /^(?:-C|--codegen)$/,
        /^(?:linker|link-arg|link-args|pre-link|post-link|llvm-args|passes|linker-flavor|dlltool)/,
      ],
    ],
    refusedOperand: ARGUMENTS_FILE,
  }),
  open("javac", "-processor=! -processorpath=! --processor-path=! --processor-module-path=! -J! -X=! -d=> -s=> -h=>", {
    plain: [[/^-X$/, /^(?!plugin)/]],
    refusedOperand: ARGUMENTS_FILE,
  }),
  open("ghc", "-F! -pgmF=! -pgmP=! -pgmc=! -pgml=! -pgma=! -e=! -fplugin=! -ghci-script=! -o=> -outputdir=>"),
  open("protoc", "--plugin=! --descriptor_set_out=>", { refusedOperand: ARGUMENTS_FILE }),
  open("cmake", "--build= -P! -E! -C=! -D= -S= -B=> -G= -A= --toolchain=~ --preset=", {
    refused: [
      [
        /^-D$/,
        /(?:_COMPILER|_LAUNCHER|_LINKER|_PROGRAM|PROJECT_\w*INCLUDE\w*|TOOLCHAIN_FILE|RULE_LAUNCH_\w+)(?::\w+)?=/,
      ],
    ],
    // The words for make or ninja: targets and the number of jobs.
    behindDashes: /^(?!-(?![jkvl]\d*$))[^=]*$/,
  }),
  open("ctest", "-S=! --script=! -SP=! --script-new-process=! --build-and-test!"),
  ...each("ctags etags", { flags: "--options=! --options-maybe=! --optlib-dir=! -f=> -o=>", isOpen: true }),
  // Linters, bundlers and test runners
  open("pylint", "--load-plugins=! --init-hook=! --rcfile=~"),
  open("flake8", "--config=~ --append-config=~"),
  open("rubocop", "-r=! --require=! --plugin=! -c=~ --config=~ -o=> --out=>"),
  open(
    "stylelint",
    "--custom-syntax=! --custom-formatter=! --plugin=! --config=~ -c=~ -f= --formatter= -o=> --output-file=>",
    {
      refused: [[/^(?:-f|--formatter)$/, /[./]/]],
    },
  ),
  open("markdownlint", "-r=! --rules=! --config=~ -c=~ -o=> --output=>"),
  open("commitlint", "-o=! --format=! -P=! --parser-preset=! -x=! --extends=! -g=~ --config=~"),
  ...each("webpack babel postcss rollup vite swc", {
    flags:
      "-r=! --require=! --import=! -p= --plugin=! --plugins=! --presets=! --configPlugin=! -u=! --use=! -c=~ --config=~ --config-file=~",
    refused: [[/^-p$/, /[./]/]],
    plain: [[/^--?(?:r|require|import|plugins?|presets|configPlugin|u|use)$/, PACKAGES]],
    isOpen: true,
  }),
  // Runners of a project's own tasks: another file, code in an argument
  open(
    "rake",
    "-f=! --rakefile=! -e=! --execute=! -E=! --execute-continue=! -p=! --execute-print=! -r=! --require=! -I=! --libdir=! -R=! --rakelibdir=!",
    {
      plain: [[/^(?:-f|--rakefile)$/, /^(?!\/|~|(?:.*\/)?\.\.\/)(?:.*\/)?[Rr]akefile(?:\.rb)?$/]],
    },
  ),
  open(
    "ant",
    "-f=! -file=! -buildfile=! -lib=! -logger=! -listener=! -inputhandler=! -main=! -cp=! -find=! -s=! -propertyfile=~ -l=> -logfile=>",
    { singleDash: true, plain: [[/^-(?:f|file|buildfile)$/, /^(?!\/|~|(?:.*\/)?\.\.\/)(?:.*\/)?build[\w.-]*\.xml$/]] },
  ),
  ...each("ninja scons nox task go-task gulp grunt", {
    flags:
      "-f=! -t= --taskfile=! --noxfile=! --gulpfile=! --gruntfile=! --tasks=! --require=! --sconstruct=! --makefile=! -D -C= -j= -l= -k=",
    plain: [
      [
        /^(?:-f|--\w+file|--sconstruct)$/,
        /^(?!\/|~|(?:.*\/)?\.\.\/)(?:.*\/)?(?:build\.ninja|SConstruct|noxfile\.py|Taskfile[\w.-]*|[Gg](?:ulp|runt)file[\w.-]*)$/,
      ],
    ],
    isOpen: true,
  }),
  open("rspec", "-r=! --require=! -I=! -O=! --options=! -f= --format= -o=> --out=>", {
    refused: [[/^(?:-f|--format)$/, /[./]/]],
  }),
  open(
    "phpunit",
    "--bootstrap=~ --prepend=! --printer=! --extension=! --extensions=! -c=~ --configuration=~ --coverage-html=>",
  ),
  open("nodemon", "-x=! --exec=! -r=! --require=! --config=~"),
  open("lint-staged", "--shell! -x -c=~ --config=~"),
  open("perf", "-s=! --script=! --exec-path=! --objdump=! --addr2line=!"),
  open(
    "lldb",
    "-o=! -O=! -s=! -S=! -k=! -K=! -Q --one-line=! --one-line-before-file=! --source=! --source-before-file=! --one-line-on-crash=! --source-on-crash=!",
  ),
  // Systems and services
  ...each("apt apt-get", { flags: "-o=! --option=! -c=! --config-file=!", isOpen: true }),
  open("dpkg", "--pre-invoke=! --post-invoke=! --status-logger=!"),
  open("rpm", "-E=! --eval=! --pipe=! --define=! -D=! --load=! --rcfile=! --macros=! -i! -U! -F!"),
  open("nmap", "--script=! --script-args=! --datadir=! -oN=> -oX=> -oG=> -oA=>", {
    plain: [[/^--script$/, /^[\w*-]+(?:,[\w*-]+)*$/]],
  }),
  ...each("nc ncat netcat", { flags: "-e=! -c=! --exec=! --sh-exec=! --lua-exec=!", isOpen: true }),
  open("socat", "", { refusedOperand: /\b(?:exec|system|shell):/i }),
  open("tcpdump", "-z=! -w=> -W= -C= -G= -i= -r= -n -v -e -A -X"),
  // Subcommands may be shortened.
  open("ip", "-b=! -batch=!", { refusedOperand: /^e(?:x(?:ec?)?)?$/ }),
  open("hg", "--config=! --debugger! -c= --command=!", { refusedOperand: /^(?:serve|debug\w*)$/ }),
  open("svn", "--config-option=! --config-dir=! --diff-cmd=! --diff3-cmd=! --editor-cmd=!"),
  open("rclone", "--config=! --password-command=!"),
  open("restic", "--password-command=! -o=! --option=! --password-file="),
  open("borg", "--rsh=! --remote-path=!"),
  open("lynx", "-cfg=! -editor=! -lss=~ -restrictions=", { singleDash: true }),
  open("w3m", "-config=! -o=!"),
  open("helm", "--post-renderer=! --post-renderer-args=! --kubeconfig=! --kube-apiserver=!", {
    refusedOperand: /^plugin$/,
  }),
  ...each("just", {
    flags:
      "--shell=! --shell-arg=! --shell-command! --chooser=! --choose! -c! --command! -e! --edit! -f=! --justfile=! -d=~ --working-directory=~ -E=! --dotenv-path=! --dotenv-command=!",
    plain: [[/^(?:-f|--justfile)$/, /^(?!\/|~|(?:.*\/)?\.\.\/)(?:.*\/)?(?:\.?justfile|[\w.-]+\.just)$/i]],
    isOpen: true,
  }),
  open("systemctl", "-H=! --host=! --root=! --image=!", {
    refusedOperand: /^(?:edit|link|set-environment|import-environment)$/,
  }),
];
