import type { OptionTable } from "../option-table.ts";
import { RUSTC_PLAIN } from "./options-programs.ts";

/** A makefile below the folder with a usual name. */
const ORDINARY_MAKEFILE = /^(?!\/|~|(?:.*\/)?\.\.\/)(?:.*\/)?(?:GNU)?[Mm]akefile(?:[.-][\w.-]+)?$/;
/** Variables that name make's own programs or hold makefile text, and values that a shell or make itself would run. */
const MAKE_CODE =
  /^(?:SHELL|\.SHELLFLAGS|MAKE|MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|MAKEFILES|\.[A-Z]\w*)[:+?!]*=|^[\w.]+[:+?]*!?=[\s\S]*(?:\$[({]|[`;|&<>\n])|^[\w.]+!=/;

/** Options of programs that build, test and check source text. */
export const BUILD_OPTIONS: readonly OptionTable[] = [
  {
    name: "make",
    flags: `-B -b -C= -d -e -E=! -f=! -h -i -I=~ -j? -k -L -l? -m -n -o= -O? -p -q -R -r -S -s -t -v -w -W= --always-make --assume-new= --assume-old=
      --check-symlink-times --debug? --directory= --dry-run --environment-overrides --eval=! --file=! --ignore-errors --include-dir=~ --jobs?
      --just-print --keep-going --load-average? --makefile=! --max-load? --new-file= --no-builtin-rules --no-builtin-variables --no-silent --old-file=
      --output-sync? --print-data-base --print-directory --question --quiet --recon --shuffle? --silent --stop --touch --trace
      --warn-undefined-variables --what-if=`,
    plain: [[/^(?:-f|--file|--makefile)$/, ORDINARY_MAKEFILE]],
    refusedOperand: MAKE_CODE,
  },
  {
    name: "go",
    flags: "-C=",
    subs: {
      "build install": `-a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -asmflags= -buildmode= -buildvcs= -gcflags= -installsuffix= -ldflags=
      -linkshared -mod= -modcacherw -pgo= -tags= -trimpath -json -C= -pkgdir=> -toolexec=! -exec=! -overlay=! -modfile=! -compiler=! -gccgoflags=!
      -o=>`,
      test: `-a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -asmflags= -buildmode= -buildvcs= -gcflags= -installsuffix= -ldflags=
      -linkshared -mod= -modcacherw -pgo= -tags= -trimpath -json -C= -pkgdir=> -toolexec=! -exec=! -overlay=! -modfile=! -compiler=! -gccgoflags=!
      -args -c -i -bench= -benchtime= -count= -cpu= -failfast -fuzz= -fuzztime= -fuzzminimizetime= -fullpath -list= -parallel= -run= -short -shuffle=
      -skip= -timeout= -vet= -benchmem -artifacts -blockprofile=> -blockprofilerate= -coverprofile=> -cpuprofile=> -memprofile=> -memprofilerate=
      -mutexprofile=> -mutexprofilefraction= -outputdir=> -trace=> -o=> -test.v -test.run= -test.bench= -test.count= -test.timeout= -test.short`,
      run: `-a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -asmflags= -buildmode= -buildvcs= -gcflags= -installsuffix= -ldflags=
      -linkshared -mod= -modcacherw -pgo= -tags= -trimpath -json -C= -pkgdir=> -toolexec=! -exec=! -overlay=! -modfile=! -compiler=! -gccgoflags=!`,
      get: `-a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -asmflags= -buildmode= -buildvcs= -gcflags= -installsuffix= -ldflags=
      -linkshared -mod= -modcacherw -pgo= -tags= -trimpath -json -C= -pkgdir=> -toolexec=! -exec=! -overlay=! -modfile=! -compiler=! -gccgoflags=! -d
      -t -u? -tool`,
      vet: `-a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -asmflags= -buildmode= -buildvcs= -gcflags= -installsuffix= -ldflags=
      -linkshared -mod= -modcacherw -pgo= -tags= -trimpath -json -C= -pkgdir=> -toolexec=! -exec=! -overlay=! -modfile=! -compiler=! -gccgoflags=!
      -vettool=! -fix -diff -c= -json -appends -asmdecl -assign -atomic -bools -buildtag -cgocall -composites -copylocks -defers -directive -errorsas
      -framepointer -httpresponse -ifaceassert -loopclosure -lostcancel -nilfunc -printf -shift -sigchanyzer -slog -stdmethods -stdversion
      -stringintconv -structtag -testinggoroutine -tests -timeformat -unmarshal -unreachable -unsafeptr -unusedresult -waitgroup -printf.funcs=
      -unusedresult.funcs=`,
      list: `-a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -asmflags= -buildmode= -buildvcs= -gcflags= -installsuffix= -ldflags=
      -linkshared -mod= -modcacherw -pgo= -tags= -trimpath -json -C= -pkgdir=> -toolexec=! -exec=! -overlay=! -modfile=! -compiler=! -gccgoflags=!
      -deps -e -f= -find -m -u -versions -retracted -test -compiled -export -json? -reuse=`,
      mod: `-v -go= -e -x -json -compat= -diff -reuse= -module= -require= -droprequire= -replace= -dropreplace= -exclude= -dropexclude= -retract=
      -dropretract= -fmt -print -m -vendor -o=> -toolchain= -tool= -droptool=`,
      env: "-json -changed",
      fmt: "-n -x -mod=",
      clean: "-i -r -n -x -cache -testcache -modcache -fuzzcache",
      generate: "-run= -skip= -n -v -x",
      doc: "-all -c -cmd -short -src -u",
      work: "-r -v -go= -use= -dropuse= -json -print -fmt -replace= -dropreplace=",
      version: "-m -v -json",
      tool: "-n -func= -html= -mode= -o=> -var= -i= -pkgcfg= -top -list= -text -svg -png -sample_index= -modfile=!",
      "help bug telemetry": "",
      fix: "-fix= -diff -go=",
    },
    singleDash: true,
    refused: [
      [/^-ldflags$/, /-ext(?:ld|ldflags|ar)\b|-linkmode|-toolexec|-importcfg|-pluginpath|-(?:o|\w*profile|tmpdir)\b/],
      // Flags of the compiler and the assembler that write nothing; `all=` may precede them.
      [
        /^-(?:gcflags|asmflags)$/,
        /^(?!(?:[\w./]+=)?["']?(?:-{1,2}(?:N|l|m|B|S|e|w|K|L|I|v|live|race|std|(?:l|m|c)=\d+|d=[\w=,]+|D=[\w=]+|lang=[\w.]+|trimpath=\S*)(?:\s+|["']?$))*["']?$)/,
      ],
    ],
    script: ["run", "tool"],
  },
  {
    name: "cargo",
    flags: "-q --quiet -v --verbose -C= -h -V --explain= --list",
    subs: {
      "build b": `-F= -j= -p? -q -r -v -Z=! --all --all-features --all-targets --artifact-dir=> --bench? --benches --bin? --bins --color= --config=! --example?
      --examples --exclude= --features= --frozen --future-incompat-report --ignore-rust-version --jobs= --keep-going --lib --locked --manifest-path=~
      --message-format= --no-default-features --offline --package? --profile= --quiet --release --target-dir=> --target? --test? --tests --timings
      --unit-graph --verbose --workspace`,
      "check c": `-F= -j= -p? -q -r -v -Z=! --all --all-features --all-targets --bench? --benches --bin? --bins --color= --config=! --example? --examples
      --exclude= --features= --frozen --future-incompat-report --ignore-rust-version --jobs= --keep-going --lib --locked --manifest-path=~
      --message-format= --no-default-features --offline --package? --profile= --quiet --release --target-dir=> --target? --test? --tests --timings
      --unit-graph --verbose --workspace`,
      "test t": `-F= -j= -p? -q -r -v -Z=! --all --all-features --all-targets --bench? --benches --bin? --bins --color= --config=! --doc --example? --examples
      --exclude= --features= --frozen --future-incompat-report --ignore-rust-version --jobs= --lib --locked --manifest-path=~ --message-format=
      --no-default-features --no-fail-fast --no-run --offline --package? --profile= --quiet --release --target-dir=> --target? --test? --tests
      --timings --unit-graph --verbose --workspace`,
      bench: `-F= -j= -p? -q -v -Z=! --all --all-features --all-targets --bench? --benches --bin? --bins --color= --config=! --example? --examples --exclude=
      --features= --frozen --ignore-rust-version --jobs= --lib --locked --manifest-path=~ --message-format= --no-default-features --no-fail-fast
      --no-run --offline --package? --profile= --quiet --target-dir=> --target? --test? --tests --timings --unit-graph --verbose --workspace`,
      "run r": `-F= -j= -p? -q -r -v -Z=! --all-features --bin? --color= --config=! --example? --features= --frozen --ignore-rust-version --jobs= --keep-going
      --locked --manifest-path=~ --message-format= --no-default-features --offline --package? --profile= --quiet --release --target-dir=> --target?
      --timings --unit-graph --verbose`,
      clippy: `-A? -D? -F= -j= -p= -r -V -W? --all --all-features --all-targets --allow-dirty --allow-no-vcs --allow-staged --allow? --bench= --benches --bin=
      --bins --deny? --example= --examples --exclude= --explain= --features= --fix --forbid? --frozen --jobs= --keep-going --lib --locked
      --manifest-path=~ --message-format= --no-default-features --no-deps --offline --package= --profile= --release --target-dir=> --target= --test=
      --tests --warn? --workspace`,
      fmt: "-p= -q -v --all --check --manifest-path=~ --message-format= --package= --quiet --verbose",
      "doc d": `-F= -j= -p? -q -r -v -Z=! --all --all-features --bin? --bins --color= --config=! --document-private-items --example? --examples --exclude=
      --features= --frozen --ignore-rust-version --jobs= --keep-going --lib --locked --manifest-path=~ --message-format= --no-default-features
      --no-deps --offline --open --package? --profile= --quiet --release --target-dir=> --target? --timings --unit-graph --verbose --workspace`,
      clean: `-n -p? -q -r -v -Z=! --color= --config=! --doc --dry-run --frozen --locked --manifest-path=~ --offline --package? --profile= --quiet --release
      --target-dir=> --target? --verbose --workspace`,
      "new init": `-q -v -Z=! --bin --color= --config=! --edition= --frozen --lib --locked --name= --offline --quiet --registry= --vcs= --verbose`,
      add: `-F= -n -p? -q -v -Z=! --base= --branch= --build --color= --config=! --default-features --dev --dry-run --features= --frozen --git=
      --ignore-rust-version --locked --manifest-path=~ --no-default-features --offline --optional --package? --path= --public --quiet --registry=
      --rename= --rev= --tag= --target= --verbose`,
      remove: `-n -p? -q -v -Z=! --build --color= --config=! --dev --dry-run --frozen --locked --manifest-path=~ --offline --package? --quiet --target=
      --verbose`,
      update: `-b -n -p= --package= -q -v -w -Z=! --breaking --color= --config=! --dry-run --frozen --ignore-rust-version --locked --manifest-path=~ --offline --precise=
      --quiet --recursive --verbose --workspace`,
      tree: `-d -e= -F= -f= -i= -p? -q -v -Z=! --all-features --charset= --color= --config=! --depth= --duplicates --edges= --exclude= --features= --format=
      --frozen --invert= --locked --manifest-path=~ --no-dedupe --no-default-features --offline --package? --prefix= --prune= --quiet --target=
      --verbose --workspace`,
      metadata: `-F= -q -v -Z=! --all-features --color= --config=! --features= --filter-platform= --format-version= --frozen --locked --manifest-path=~
      --no-default-features --no-deps --offline --quiet --verbose`,
      fetch: "-q -v -Z=! --color= --config=! --frozen --locked --manifest-path=~ --offline --quiet --target? --verbose",
      search:
        "-q -v -Z=! --color= --config=! --frozen --index= --limit= --locked --offline --quiet --registry= --verbose",
      install: `-f -F= -j= -n -q -v -Z=! --all-features --bin? --bins --branch= --color= --config=! --debug --dry-run --example? --examples --features= --force
      --frozen --git= --ignore-rust-version --index= --jobs= --keep-going --list --locked --message-format= --no-default-features --no-track --offline
      --path= --profile= --quiet --registry= --rev= --root=> --tag= --target-dir=> --target? --timings --verbose`,
      uninstall:
        "-p? -q -v -Z=! --bin= --color= --config=! --frozen --locked --offline --package? --quiet --root= --verbose",
      publish: `-F= -j= -n -p? -q -v -Z=! --all-features --allow-dirty --color= --config=! --dry-run --exclude= --features= --frozen --index= --jobs=
      --keep-going --locked --manifest-path=~ --no-default-features --no-verify --offline --package? --quiet --registry= --target-dir=> --target?
      --token= --verbose --workspace`,
      package: `-F= -j= -l -p? -q -v -Z=! --all-features --allow-dirty --color= --config=! --exclude-lockfile --exclude= --features= --frozen --index= --jobs=
      --keep-going --list --locked --manifest-path=~ --message-format= --no-default-features --no-metadata --no-verify --offline --package? --quiet
      --registry= --target-dir=> --target? --verbose --workspace`,
      vendor: `-q -s= -v -Z=! --color= --config=! --frozen --locked --manifest-path=~ --no-delete --offline --quiet --respect-source-config --sync= --verbose --versioned-dirs`,
      fix: `-F= -j= -p? -q -r -v -Z=! --all --all-features --all-targets --allow-dirty --allow-no-vcs --allow-staged --bench? --benches --bin? --bins
      --broken-code --color= --config=! --edition --edition-idioms --example? --examples --exclude= --features= --frozen --ignore-rust-version --jobs=
      --keep-going --lib --locked --manifest-path=~ --message-format= --no-default-features --offline --package? --profile= --quiet --release
      --target-dir=> --target? --test? --tests --timings --verbose --workspace`,
      login: "-q -v -Z=! --color= --config=! --frozen --locked --offline --quiet --registry= --verbose",
      owner: `-a= -l -q -r= -v -Z=! --add= --color= --config=! --frozen --index= --list --locked --offline --quiet --registry= --remove= --token= --verbose`,
      yank: `-q -v -Z=! --color= --config=! --frozen --index= --locked --offline --quiet --registry= --token= --undo --verbose`,
      "generate-lockfile": `-q -v -Z=! --color= --config=! --frozen --ignore-rust-version --locked --manifest-path=~ --offline --publish-time= --quiet --verbose`,
      "locate-project": `-q -v -Z=! --color= --config=! --frozen --locked --manifest-path=~ --message-format= --offline --quiet --verbose --workspace`,
      pkgid:
        "-p? -q -v -Z=! --color= --config=! --frozen --locked --manifest-path=~ --offline --package? --quiet --verbose",
      "report version help": "-q -v -Z=! --color= --config=! --frozen --locked --offline --quiet --verbose",
      rustc: `-F= -j= -p? -q -r -v -Z=! --all-features --all-targets --bench? --benches --bin? --bins --color= --config=! --crate-type= --example? --examples
      --features= --frozen --future-incompat-report --ignore-rust-version --jobs= --keep-going --lib --locked --manifest-path=~ --message-format=
      --no-default-features --offline --package? --print= --profile= --quiet --release --target-dir=> --target? --test? --tests --timings --unit-graph
      --verbose`,
      rustdoc: `-F= -j= -p? -q -r -v -Z=! --all-features --all-targets --bench? --benches --bin? --bins --color= --config=! --example? --examples --features=
      --frozen --ignore-rust-version --jobs= --keep-going --lib --locked --manifest-path=~ --message-format= --no-default-features --offline --open
      --output-format= --package? --profile= --quiet --release --target-dir=> --target? --test? --tests --timings --unit-graph --verbose`,
      "verify-project":
        "-q -v -Z=! --color= --config=! --frozen --locked --manifest-path=~ --offline --quiet --verbose",
      info: "-q -v -Z=! --color= --config=! --frozen --index= --locked --offline --quiet --registry= --verbose",
      "nextest llvm-cov audit deny outdated expand machete udeps miri hack bloat": `-p= --package= --workspace --all --all-features --no-default-features --features= -F= --all-targets --release -r --lib --bin= --bins --tests
      --test= --example= --examples --benches --profile= --target= --manifest-path=~ -j= --jobs= --no-fail-fast --no-capture --nocapture --retries=
      --run-ignored= --partition= -E= --filter-expr= --status-level= --final-status-level= --success-output= --failure-output= --test-threads=
      --message-format= --locked --frozen --offline -v --verbose -q --quiet --color= --json --html --lcov --text --summary-only --output-path=>
      --output-dir=> --ignore-filename-regex= --fail-under-lines= --exclude= --no-run --hide-inclusion-graph --deny= -D= --ignore= --root-deps-only -R
      -d= --depth= --exit-code= --ugly --theme= --with-metadata --skip-target-dir --fix --no-report --clean --no-clean --show-missing-lines --open`,
    },
    behindDashesOf: { rustc: RUSTC_PLAIN, rustdoc: RUSTC_PLAIN, clippy: RUSTC_PLAIN },
    script: ["run"],
    globalOperand: /^\+[\w.-]+$/,
  },
  {
    name: "pytest",
    flags: `--junitxml=> --junit-xml=> -c=~ -d -f -h -k= -l -m= -n= -o=! -p=! -q -r= -s -V -v -vv -W= -x --assert= --asyncio-mode= --base-url= --basetemp=> --benchmark-autosave
      --benchmark-calibration-precision= --benchmark-columns= --benchmark-compare-fail= --benchmark-compare= --benchmark-cprofile-dump=
      --benchmark-cprofile-loops= --benchmark-cprofile-top= --benchmark-cprofile= --benchmark-disable --benchmark-disable-gc --benchmark-enable
      --benchmark-group-by= --benchmark-histogram= --benchmark-json= --benchmark-max-time= --benchmark-min-rounds= --benchmark-min-time=
      --benchmark-name= --benchmark-netrc= --benchmark-only --benchmark-quiet --benchmark-save-data --benchmark-save= --benchmark-skip
      --benchmark-sort= --benchmark-storage= --benchmark-time-unit= --benchmark-timer= --benchmark-verbose --benchmark-warmup-iterations=
      --benchmark-warmup= --black --browser= --cache-clear --cache-show? --capture= --co --code-highlight= --collect-in-virtualenv --collect-only
      --color= --confcutdir=~ --config-file=~ --continue-on-collection-errors --cov-append --cov-branch --cov-config= --cov-context= --cov-fail-under=
      --cov-precision= --cov-report=> --cov-reset --cov? --create-db --dc= --deselect= --disable-plugin-autoload --disable-pytest-warnings
      --disable-warnings --dist= --doctest-continue-on-failure --doctest-glob= --doctest-ignore-import-errors --doctest-modules --doctest-report=
      --driver= --ds= --durations-min= --durations= --exitfirst --failed-first --ff --fixtures --fixtures-per-test --flake8 --force-short-summary
      --forked --full-trace --funcargs --headed --html=> --hypothesis-explain --hypothesis-profile= --hypothesis-seed= --hypothesis-show-statistics
      --hypothesis-verbosity= --ignore-glob= --ignore= --import-mode= --instafail --json-report --json-report-file=> --junit-prefix= --junit-xml=>
      --keep-duplicates --last-failed --last-failed-no-failures= --lf --lfnf= --loadscope-reorder --log-auto-indent= --log-cli-date-format=
      --log-cli-format= --log-cli-level= --log-date-format= --log-disable= --log-file-date-format= --log-file-format= --log-file-level=
      --log-file-mode= --log-file=> --log-format= --log-level= --looponfail --markers --max-warnings= --max-worker-restart= --maxfail= --maxprocesses=
      --maxschedchunk= --mypy --new-first --nf --no-cov --no-cov-on-fail --no-fold-skipped --no-header --no-migrations --no-summary --noconftest
      --nomigrations --numprocesses= --only-rerun= --override-ini=! --pastebin=! --pdb --pdbcls=! --picked --px=! --pyargs --pythonwarnings= --quiet
      --random-order --randomly-seed= --report-chars= --report-log=> --reruns-delay= --reruns= --reuse-db --rootdir=~ --rsyncdir=! --rsyncignore=
      --ruff --runxfail --self-contained-html --setup-only --setup-plan --setup-show --show-capture= --showlocals --snapshot-update --stepwise
      --stepwise-reset --stepwise-skip --strict --strict-config --strict-markers --sugar --sw --sw-reset --sw-skip --tb= --testmon --testrunuid=
      --timeout-method= --timeout= --trace --trace-config --tx=! --verbose --verbosity= --xfail-tb`,
    plain: [
      [/^-p$/, /^(?:no:[\w.-]+|[\w]+(?:\.[\w]+)*)$/],
      [/^(?:-o|--override-ini)$/, /^(?!addopts|pythonpath|required_plugins|log_file=|cache_dir)\w+=/],
    ],
  },
  {
    name: "ruff",
    flags: `-e -h -n -o=> -q -s -v -w --add-ignore? --add-noqa --cache-dir=> --check --color= --config=~ --diff --exclude= --exit-non-zero-on-fix
      --exit-non-zero-on-format --exit-zero --extend-exclude= --extend-fixable= --extend-ignore= --extend-per-file-ignores= --extend-select=
      --extension= --fix --fix-only --fixable= --force-exclude --ignore-noqa --ignore= --isolated --line-length= --no-cache --no-fix --output-file=>
      --output-format= --per-file-ignores= --preview --quiet --range= --respect-gitignore --select= --show-files --show-fixes --show-settings --silent
      --statistics --stdin-filename= --target-version= --unfixable= --unsafe-fixes --verbose --watch`,
    subs: {
      "check format rule config linter clean version help analyze server": "",
    },
  },
  {
    name: "black",
    flags: `-C -c= -h -i -l= -q -S -t= -v -W= -x --check --code= --color --config=~ --diff --enable-unstable-feature= --exclude=
      --experimental-string-processing --extend-exclude= --fast --force-exclude= --include= --ipynb --line-length= --line-ranges= --no-cache
      --no-color --preview --pyi --python-cell-magics= --quiet --required-version= --safe --skip-magic-trailing-comma --skip-source-first-line
      --skip-string-normalization --stdin-filename= --target-version= --unstable --verbose --workers=`,
  },
  {
    name: "isort",
    flags: `-a= -b= -c -d -e -f= -h -i= -j? -l= -m= -n -o= -p= -q -s= -t= -V -v -w= --ac --add-import= --af --allow-root --append --append-only --atomic
      --balanced --blocked-extension= --builtin= --ca --case-sensitive --check --check-only --color --combine-as --combine-star
      --combine-straight-imports --conda-env= --config-root=~ --cr= --cs --csi --dedup-headings --df --diff --dont-float-to-top --dont-follow-links
      --dont-order-by-type --ds --dt --ensure-newline-before-comments --ext-format= --ext= --extend-skip-glob= --extend-skip= --extension=
      --extra-builtin= --fas --fass --ff --fgw? --filename= --filter-files --float-to-top --force-adds --force-alphabetical-sort
      --force-alphabetical-sort-within-sections --force-grid-wrap? --force-single-line-imports --force-sort-within-sections --forced-separate=
      --format-error= --format-success= --formatter= --from-first --fs= --fss --future= --gitignore --hcss --honor-case-in-force-sorted-sections
      --honor-noqa --ignore-whitespace --indent= --interactive --jobs? --known-local-folder= --lai= --lbi= --lbt= --le= --length-sort
      --length-sort-straight --line-ending= --line-length= --line-width= --lines-after-imports= --lines-before-imports= --lines-between-types= --ls
      --lss --multi-line --nis --nlb= --no-inline-sort --no-lines-before= --no-sections --nsl= --om --only-modified --only-sections --order-by-type
      --os --ot --overwrite-in-place --profile= --project= --py --python-version --quiet --remove-import= --remove-redundant-aliases
      --resolve-all-configs --reverse-relative --reverse-sort --rm= --rr --sd= --section-default= --settings-file=~ --settings-path=~ --settings=~ --sg=
      --show-config --show-files --single-line-exclusions= --skip-gitignore --skip-glob= --skip= --sl --sort-order= --sort-reexports
      --sort-relative-in-force-sorted-sections --sp=~ --split-on-trailing-comma --src-path= --src= --srss --srx --star-first --stdout
      --supported-extension= --tc --thirdparty= --top= --trailing-comma --treat-all-comment-as-code --treat-comment-as-code= --up --use-parentheses
      --verbose --version-number --virtual-env= --vn --wl= --wrap-length= --ws`,
  },
  {
    name: "mypy",
    flags: `-c= -h -m= -n= -O= -p= -V -v --allow-redefinition --allow-redefinition-new --allow-redefinition-old --allow-untyped-defs --allow-untyped-globals
      --always-false= --always-true= --any-exprs-report=> --cache-dir=> --cache-fine-grained --check-untyped-defs --cobertura-xml-report=> --command=
      --config-file=~ --custom-typeshed-dir= --custom-typing-module! --deprecated-calls-exclude= --disable-error-code= --disallow-any-decorated
      --disallow-any-explicit --disallow-any-expr --disallow-any-generics --disallow-any-unimported --disallow-incomplete-defs
      --disallow-subclassing-any --disallow-untyped-calls --disallow-untyped-decorators --disallow-untyped-defs --enable-error-code=
      --enable-incomplete-feature --exclude-gitignore --exclude= --explicit-package-bases --extra-checks --find-occurrences= --follow-imports=
      --follow-untyped-imports --hide-error-codes --html-report=> --ignore-missing-imports --implicit-optional --install-types! --junit-format
      --junit-xml=> --linecount-report=> --linecoverage-report=> --lineprecision-report=> --module= --namespace-packages --no-color-output
      --no-error-summary --no-fixed-format-cache --no-implicit-reexport --no-incremental --no-namespace-packages --no-native-parser
      --no-silence-site-packages --no-site-packages --no-strict-bytes --no-strict-optional --no-warn-no-return --non-interactive --num-workers=
      --output= --package= --pdb! --platform= --pretty --python-executable=! --python-version= --raise-exceptions --report-deprecated-as-note
      --scripts-are-modules --shadow-file= --show-absolute-path --show-column-numbers --show-error-code-links --show-error-codes --show-error-context
      --show-error-end --show-traceback --skip-cache-mtime-checks --skip-version-check --sqlite-cache --strict --strict-equality
      --strict-equality-for-none --tb --txt-report=> --untyped-calls-exclude= --verbose --warn-incomplete-stub --warn-redundant-casts
      --warn-return-any --warn-unreachable --warn-unused-configs --warn-unused-ignores --xml-report=> --xslt-html-report=> --xslt-txt-report=>`,
  },
  {
    name: "eslint",
    flags: `-c=~ -f=! -h -o=> -v --cache --cache-file=> --cache-location=> --cache-strategy= --color --concurrency= --config=~ --debug --env-info --env=
      --exit-on-fatal-error --ext= --fix --fix-dry-run --fix-type= --flag= --format=! --global= --ignore-path= --ignore-pattern= --init!
      --inspect-config --max-warnings= --mcp! --no-cache --no-color --no-config-lookup --no-error-on-unmatched-pattern --no-eslintrc --no-ignore
      --no-inline-config --no-warn-ignored --output-file=> --parser-options= --parser=! --pass-on-no-patterns --pass-on-unpruned-suppressions
      --plugin=! --print-config= --prune-suppressions --quiet --report-unused-disable-directives --report-unused-disable-directives-severity=
      --report-unused-inline-configs= --rule= --stats --stdin --stdin-filename= --suppress-all --suppress-rule= --suppressions-location=>`,
    plain: [
      [/^(?:-f|--format|--plugin)$/, /^@?[\w-]+(?:\/[\w-]+)?$/],
      [/^--parser$/, /^@?[\w-]+(?:\/[\w-]+)?$/],
    ],
  },
  {
    name: "prettier",
    flags: `-c -h= -l -u -v -w --arrow-parens= --bracket-same-line --cache --cache-location=> --cache-strategy= --check --check-ignore-pragma --color
      --config-precedence= --config=~ --cursor-offset= --embedded-language-formatting= --end-of-line= --experimental-operator-position= --file-info=
      --find-config-path= --html-whitespace-sensitivity= --ignore-path= --ignore-unknown --insert-pragma --jsx-single-quote --list-different
      --log-level= --loglevel= --no-bracket-spacing --no-cache --no-color --no-config --no-editorconfig --no-error-on-unmatched-pattern
      --no-experimental-ternaries --no-plugin-search --no-semi --object-wrap= --parser= --plugin=! --print-width= --prose-wrap= --quote-props=
      --range-end= --range-start= --require-pragma --single-attribute-per-line --single-quote --stdin-filepath= --support-info --tab-width=
      --trailing-comma= --use-tabs --vue-indent-script-and-style --with-node-modules --write`,
    plain: [[/^--plugin$/, /^@?[\w-]+(?:\/[\w-]+)?$/]],
  },
  {
    name: "tsc",
    flags: `-b -d -f -h -i -m -p -q -t -v -w --all --allowArbitraryExtensions --allowImportingTsExtensions --allowJs --allowSyntheticDefaultImports
      --allowUmdGlobalAccess --allowUnreachableCode --allowUnusedLabels --alwaysStrict --assumeChangesOnlyAffectDirectDependencies --baseUrl --build
      --builders --checkers --checkJs --clean --composite --customConditions --declaration --declarationDir=> --declarationMap --deduplicatePackages
      --diagnostics --disableReferencedProjectLoad --disableSizeLimit --disableSolutionSearching --disableSourceOfProjectReferenceRedirect
      --downlevelIteration --dry --emitBOM --emitDeclarationOnly --emitDecoratorMetadata --erasableSyntaxOnly --esModuleInterop
      --exactOptionalPropertyTypes --excludeDirectories --excludeFiles --experimentalDecorators --explainFiles --extendedDiagnostics --fallbackPolling
      --force --forceConsistentCasingInFileNames --generateCpuProfile=> --generateTrace=> --ignoreConfig --importHelpers --incremental --init
      --inlineSourceMap --inlineSources --isolatedDeclarations --isolatedModules --jsx --jsxFactory --jsxFragmentFactory --jsxImportSource --lib
      --libReplacement --listEmittedFiles --listFiles --listFilesOnly --locale --mapRoot --maxNodeModuleJsDepth --module --moduleDetection
      --moduleResolution --moduleSuffixes --newLine --noCheck --noEmit --noEmitHelpers --noEmitOnError --noErrorTruncation
      --noFallthroughCasesInSwitch --noImplicitAny --noImplicitOverride --noImplicitReturns --noImplicitThis --noLib
      --noPropertyAccessFromIndexSignature --noResolve --noUncheckedIndexedAccess --noUncheckedSideEffectImports --noUnusedLocals --noUnusedParameters
      --outDir=> --outFile=> --paths --plugins! --pprofDir --preserveConstEnums --preserveSymlinks --preserveWatchOutput --pretty --project --quiet
      --reactNamespace --removeComments --resolveJsonModule --resolvePackageJsonExports --resolvePackageJsonImports --rewriteRelativeImportExtensions
      --rootDir --rootDirs --showConfig --singleThreaded --skipDefaultLibCheck --skipLibCheck --sourceMap --sourceRoot --stableTypeOrdering
      --stopBuildOnErrors --strict --strictBindCallApply --strictBuiltinIteratorReturn --strictFunctionTypes --strictNullChecks
      --strictPropertyInitialization --stripInternal --synchronousWatchDirectory --target --traceResolution --tsBuildInfoFile=> --typeRoots --types
      --useDefineForClassFields --useUnknownInCatchVariables --verbatimModuleSyntax --verbose --watch --watchDirectory --watchFile --watchInterval -b
      -p=~ -w -t= -m= -d --build --project=~ --watch --noEmit --pretty --strict --target= --module= --lib= --jsx= --incremental --skipLibCheck
      --listFiles --listFilesOnly --showConfig --init --force --clean --verbose --dry --stopBuildOnErrors --traceResolution --diagnostics
      --extendedDiagnostics --esModuleInterop --moduleResolution= --allowJs --checkJs --emitDeclarationOnly --declaration --sourceMap --rootDir=
      --preserveWatchOutput --noUnusedLocals --noUnusedParameters --types= --resolveJsonModule --isolatedModules --explainFiles --noEmitOnError
      --composite --removeComments --downlevelIteration --experimentalDecorators --emitDecoratorMetadata --locale= --all --erasableSyntaxOnly
      --noImplicitAny --allowImportingTsExtensions --verbatimModuleSyntax`,
    // A file of options may name plug-ins.
    refusedOperand: /^@/,
  },
  {
    name: "jest",
    flags: `-b? -c=~ -e -f -h -i -o -t= -u -w= --all --automock --bail? --cache --cacheDirectory=> --changedFilesWithAncestor --changedSince= --ci
      --clearCache --clearMocks --collectCoverage --collectCoverageFrom= --collectTests --color --colors --config=~ --coverage? --coverageDirectory=>
      --coveragePathIgnorePatterns --coverageProvider=! --coverageReporters= --coverageThreshold= --debug --detectLeaks --detectOpenHandles --env=!
      --errorOnDeprecated --expand --filter=! --findRelatedTests --forceExit --globals=! --globalSetup=! --globalTeardown=! --haste=!
      --ignoreProjects= --injectGlobals --json --lastCommit --listTests --logHeapUsage --maxConcurrency= --maxWorkers= --moduleDirectories
      --moduleFileExtensions --moduleNameMapper --modulePathIgnorePatterns --modulePaths --no-cache --no-coverage --noStackTrace --notify --notifyMode
      --onlyChanged --onlyFailures --openHandlesTimeout= --outputFile=> --passWithNoTests --preset=! --prettierPath=! --projects= --randomize
      --reporters=! --resetMocks --resetModules --resolver=! --restoreMocks --rootDir=~ --roots= --runInBand --runner=! --runTestsByPath --seed=
      --selectProjects= --setupFiles=! --setupFilesAfterEnv=! --shard= --showConfig --showSeed --silent --skipFilter --snapshotSerializers=!
      --testEnvironment=! --testEnvironmentOptions --testFailureExitCode --testLocationInResults --testMatch= --testNamePattern=
      --testPathIgnorePatterns --testPathPattern= --testPathPatterns= --testRegex= --testResultsProcessor=! --testRunner=! --testSequencer=!
      --testTimeout= --transform=! --transformIgnorePatterns --unmockedModulePathPatterns --updateSnapshot --useStderr --verbose
      --waitForUnhandledRejections --watch --watchAll --watchman --watchPathIgnorePatterns --workerGracefulExitTimeout --workerIdleMemoryLimit=
      --workerThreads`,
    plain: [
      [
        /^(?:--reporters|--testEnvironment|--env|--preset|--runner|--testRunner|--coverageProvider)$/,
        /^@?[\w-]+(?:\/[\w-]+)?$/,
      ],
    ],
    // The settings themselves.
    refused: [[/^(?:-c|--config)$/, /^\s*\{/]],
  },
  {
    name: "vitest",
    flags: `-c=~ -h -r=~ -t= -u -w --allowOnly --api? --attachmentsDir=> --bail= --browser= --cache --changed? --clearCache --clearScreen --color --config=~
      --configLoader= --coverage --coverage.all --coverage.enabled --coverage.exclude= --coverage.include= --coverage.provider= --coverage.reporter=
      --coverage.reportsDirectory=> --coverage.thresholds.lines= --dangerouslyIgnoreUnhandledErrors --detectAsyncLeaks --diff= --dir=
      --disable-console-intercept --disableConsoleIntercept --dom --environment=! --exclude= --execArgv=! --expandSnapshotDiff --expect
      --experimental= --fileParallelism --globals --hideSkippedTests --hookTimeout= --includeTaskLocation --inspect-brk? --inspect? --inspectBrk
      --isolate --listTags? --logHeapUsage --maxConcurrency= --maxWorkers= --merge-reports? --mergeReports? --minWorkers= --mode= --no-color
      --no-file-parallelism --no-isolate --no-threads --open --outputFile.json=> --outputFile.junit=> --outputFile=> --passWithNoTests --pool=!
      --poolOptions.forks.singleFork --poolOptions.threads.singleThread --printConsoleTrace --project= --reporter=! --retry= --root=~ --run
      --sequence.seed= --sequence.shuffle --sequence= --shard= --silent? --slowTestThreshold= --standalone --strictTags --tagsFilter=
      --teardownTimeout= --testNamePattern= --testTimeout= --threads --typecheck --typecheck.enabled --typecheck.only --ui --update --vmMemoryLimit=
      --watch`,
    plain: [[/^(?:--reporter|--environment|--runner|--pool)$/, /^@?[\w-]+(?:\/[\w-]+)?$/]],
  },
  {
    name: "mocha",
    flags: `-A -b -C -c -f= -G -g= -h -i -j= -n=! -O=! -p -R=! -r=! -S -s= -t= -u=! -V -w --allow-uncaught --async-only --bail --check-leaks --color
      --colors --config= --delay --diff --dry-run --exclude= --exit --extension= --fail-hook-affected-tests --fail-zero --fgrep= --file= --forbid-only
      --forbid-pending --full-trace --global --globals --grep= --ignore= --inline-diffs --invert --jobs= --list-interfaces --list-reporters --no-color
      --no-timeout --node-option=! --package= --parallel --pass-on-failing-test-suite --posix-exit-codes --recursive --reporter-option=!
      --reporter-options=! --reporter=! --require=! --retries= --slow= --sort --spec= --timeout= --timeouts --ui=! --watch --watch-files=
      --watch-ignore`,
    plain: [[/^(?:-r|--require|-R|--reporter|-u|--ui|--import)$/, /^@?[\w-]+(?:\/[\w-]+)*$/]],
  },
  {
    name: "biome",
    flags: `-h --apply --apply-unsafe --arrow-parentheses= --assist-enabled= --attribute-position= --bracket-same-line= --bracket-spacing= --changed
      --colors= --config-path=~ --css-assist-enabled= --css-formatter-delimiter-spacing= --css-formatter-enabled= --css-formatter-indent-style=
      --css-formatter-indent-width= --css-formatter-line-ending= --css-formatter-line-width= --css-formatter-quote-style=
      --css-formatter-trailing-newline= --css-linter-enabled= --css-parse-css-modules= --css-parse-tailwind-directives= --delimiter-spacing=
      --diagnostic-level= --enforce-assist= --error-on-warnings --expand= --files-ignore-unknown= --files-max-size= --fix --format-with-errors=
      --formatter-enabled= --graphql-assist-enabled= --graphql-formatter-enabled= --graphql-formatter-indent-style= --graphql-formatter-indent-width=
      --graphql-formatter-line-ending= --graphql-formatter-line-width= --graphql-formatter-quote-style= --graphql-formatter-trailing-newline=
      --graphql-linter-enabled= --grit-assist-enabled= --grit-formatter-enabled= --grit-formatter-indent-style= --grit-formatter-indent-width=
      --grit-formatter-line-ending= --grit-formatter-line-width= --grit-formatter-trailing-newline= --grit-linter-enabled= --html-assist-enabled=
      --html-formatter-attribute-position= --html-formatter-bracket-same-line= --html-formatter-enabled= --html-formatter-indent-script-and-style=
      --html-formatter-indent-style= --html-formatter-indent-width= --html-formatter-line-ending= --html-formatter-line-width=
      --html-formatter-self-close-void-elements= --html-formatter-trailing-newline= --html-formatter-whitespace-sensitivity= --html-linter-enabled=
      --indent-style= --indent-width= --javascript-assist-enabled= --javascript-formatter-attribute-position= --javascript-formatter-bracket-spacing=
      --javascript-formatter-delimiter-spacing= --javascript-formatter-enabled= --javascript-formatter-expand= --javascript-formatter-indent-style=
      --javascript-formatter-indent-width= --javascript-formatter-line-ending= --javascript-formatter-line-width=
      --javascript-formatter-operator-linebreak= --javascript-formatter-quote-style= --javascript-formatter-trailing-newline=
      --javascript-linter-enabled= --json-assist-enabled= --json-formatter-bracket-spacing= --json-formatter-delimiter-spacing=
      --json-formatter-enabled= --json-formatter-expand= --json-formatter-indent-style= --json-formatter-indent-width= --json-formatter-line-ending=
      --json-formatter-line-width= --json-formatter-trailing-commas= --json-formatter-trailing-newline= --json-linter-enabled=
      --json-parse-allow-comments= --json-parse-allow-trailing-commas= --jsx-everywhere= --jsx-quote-style= --line-ending= --line-width=
      --linter-enabled= --log-file=> --log-kind= --log-level= --log-path=> --log-prefix-name= --max-diagnostics= --md-analyze-embeds=
      --md-formatter-enabled= --md-formatter-format-embeds= --md-formatter-indent-style= --md-formatter-indent-width= --md-formatter-line-ending=
      --md-formatter-line-width= --md-formatter-prose-wrap= --md-formatter-trailing-newline= --md-linter-enabled= --md-parse-frontmatter=
      --no-errors-on-unmatched --only= --organize-imports-enabled= --profile-rules= --profile-type-inference --quote-properties= --quote-style=
      --reason= --reporter-file= --reporter= --semicolons= --since= --skip-parse-errors --skip= --staged --stdin-file-path= --suppress --threads=
      --trailing-commas= --trailing-newline= --unsafe --use-editorconfig= --use-server --vcs-client-kind= --vcs-default-branch= --vcs-enabled=
      --vcs-root= --vcs-use-ignore-file= --verbose --watch= --write --yaml-formatter-bracket-spacing= --yaml-formatter-enabled=
      --yaml-formatter-indent-width= --yaml-formatter-line-ending= --yaml-formatter-line-width= --yaml-formatter-quote-style=
      --yaml-formatter-trailing-newline= --yaml-linter-enabled=`,
    subs: {
      "check lint format ci migrate rage explain version search init start stop clean": "",
    },
  },
  {
    name: "esbuild",
    flags: `--abs-paths= --alias: --allow-overwrite --analyze --asset-names= --banner: --banner:T= --bundle --certfile= --charset= --chunk-names= --color=
      --conditions= --cors-origin= --define: --define:K= --drop-labels= --drop: --entry-names= --external: --external:M --footer: --footer:T=
      --format= --global-name= --ignore-annotations --inject: --inject:F --jsx-dev --jsx-factory= --jsx-fragment= --jsx-import-source=
      --jsx-side-effects --jsx= --keep-names --keyfile= --legal-comments= --line-limit= --loader: --loader:X= --log-level= --log-limit=
      --log-override:X= --main-fields= --mangle-cache=> --mangle-props= --mangle-quoted= --metafile=> --minify --minify-identifiers --minify-syntax
      --minify-whitespace --out-extension: --out-extension:.js= --outbase= --outdir=> --outfile=> --packages= --platform= --preserve-symlinks
      --public-path= --pure: --pure:N --reserve-props= --resolve-extensions= --serve --serve-fallback= --servedir= --source-root= --sourcefile=
      --sourcemap? --sources-content= --splitting --supported: --supported:F= --target= --tree-shaking= --tsconfig-raw= --tsconfig= --watch
      --watch-delay=`,
  },
];
