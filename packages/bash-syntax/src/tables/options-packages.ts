import type { OptionTable } from "../option-table.ts";

/** Indexes of packages that anyone may use. */
const INDEX: readonly [RegExp, RegExp] = [
  /^(?:-i|--(?:extra-|default-)?index(?:-url)?)$/,
  /^https:\/\/(?:pypi\.org|test\.pypi\.org|download\.pytorch\.org)(?:\/|$)/,
];

/** pip and pip3 are one program. */
const PIP: Omit<OptionTable, "name"> = {
  refusedSubs: ["config set", "config edit"],
  flags: `-h -q -V -v --cache-dir=> --cert= --client-cert= --debug --disable-pip-version-check --exists-action= --isolated --keyring-provider=! --log=>
    --no-color --no-input --no-python-version-warning --proxy= --python=! --quiet --require-virtualenv --retries= --timeout= --trusted-host=!
    --use-deprecated= --use-feature= --verbose`,
  subs: {
    install: `-c= -C=! -e= -f= -I -i=! -r= -t=> -U --abi= --break-system-packages --check-build-dependencies --compile --config-settings=! --constraint=
    --dry-run --editable= --extra-index-url=! --find-links= --force-reinstall --global-option=! --group= --ignore-installed --ignore-requires-python
    --implementation= --index-url=! --no-binary= --no-build-isolation --no-clean --no-deps --no-index --no-warn-conflicts --no-warn-script-location
    --only-binary= --platform= --pre --prefer-binary --prefix=> --progress-bar= --python-version= --report=> --require-hashes --requirement=
    --root-user-action= --root=> --src=> --target=> --upgrade --upgrade-strategy= --use-pep517 --user`,
    download: `-c= -d=> -f= -i=! -r= --abi= --check-build-dependencies --constraint= --dest=> --extra-index-url=! --find-links= --global-option=!
    --ignore-requires-python --implementation= --index-url=! --no-binary= --no-build-isolation --no-clean --no-deps --no-index --only-binary=
    --platform= --pre --prefer-binary --progress-bar= --python-version= --require-hashes --requirement= --src=> --use-pep517`,
    uninstall: "-r= -y --break-system-packages --requirement= --root-user-action= --yes",
    freeze: "-l -r= --all --exclude-editable --exclude= --local --path= --requirement= --user",
    list: `-e -f= -i=! -l -o -u --editable --exclude-editable --exclude= --extra-index-url=! --find-links= --format= --include-editable --index-url=! --local
    --no-index --not-required --outdated --path= --pre --uptodate --user`,
    show: "-f --files",
    check: "",
    config: "--editor=! --global --site --user",
    search: "-i=! --index=",
    cache: "--format=",
    index: `-f= -i=! --abi= --extra-index-url=! --find-links= --ignore-requires-python --implementation= --index-url=! --json --no-binary= --no-index
    --only-binary= --platform= --pre --python-version=`,
    wheel: `-c= -C=! -e= -f= -i=! -r= -w=> --build-option=! --check-build-dependencies --config-settings=! --constraint= --editable= --extra-index-url=!
    --find-links= --global-option=! --ignore-requires-python --index-url=! --no-binary= --no-build-isolation --no-clean --no-deps --no-index
    --no-verify --only-binary= --pre --prefer-binary --progress-bar= --require-hashes --requirement= --src=> --use-pep517 --wheel-dir=>`,
    hash: "-a= --algorithm=",
    debug: "--abi= --implementation= --platform= --python-version=",
    inspect: "--local --path= --user",
  },
  plain: [INDEX],
};

/** Options of package managers. */
export const PACKAGE_OPTIONS: readonly OptionTable[] = [
  {
    name: "npm",
    refusedSubs: ["config set"],
    flags: `-a -d -D -E -f -g -l -m= -n -O -P -q -s -S -w= -ws -y -dd -ddd -v -B -C=~ -p -h -? --access= --all --allow-same-version --audit --audit-level=
      --auth-type= --before= --bin-links --browser=! --cache=> --color? --commit-hooks --cpu= --depth= --description --dev --diff=
      --diff-ignore-all-space --diff-name-only --diff-text --diff-unified= --dry-run --engine-strict --expect-results --expect-result-count=
      --fetch-retries= --fetch-timeout= --force --foreground-scripts --format-package-lock --fund --git-tag-version --global --global-style --heading=
      --if-present --ignore-scripts --include= --include-workspace-root --init-author-name= --init-license= --init-version= --install-links
      --install-strategy= --json --legacy-bundling --legacy-peer-deps --libc= --link --loglevel= --long --maxsockets= --message= --name= --noproxy=
      --offline --omit= --omit-lockfile-registry-resolved --only= --optional --os= --otp= --pack-destination=> --package= --package-lock
      --package-lock-only --parseable --prefer-dedupe --prefer-offline --prefer-online --prefix=> --preid= --production --progress --provenance
      --provenance-file= --read-only --rebuild-bundle --replace-registry-host= --save --save-bundle --save-dev --save-exact --save-optional
      --save-peer --save-prefix= --save-prod --scope= --searchexclude= --searchlimit= --searchopts= --searchstaleness= --sign-git-commit
      --sign-git-tag --silent --strict-peer-deps --tag= --tag-version-prefix= --timing --token-description= --type= --umask= --unicode
      --update-notifier --usage --user-agent= --verbose --viewer=! --which= --workspace= --workspaces --workspaces-update --yes --script-shell=!
      --shell=! --node-options=! --userconfig=! --globalconfig=! --init-module=! --editor=! --git=! --python=! --node-gyp=! --registry=! --proxy=!
      --https-proxy=! --cafile=! --ca=! --cert=! --key=! --strict-ssl! --onload-script=! --logs-dir=> --call= -c= --sbom-format= --sbom-type=
      --package-lock-only --no-install --entry-type= --scripts-prepend-node-path? --unsafe-perm`,
    subs: {
      "access add adduser audit author bin bugs c cache ci cit clean-install clean-install-test completion config create ddp dedupe deprecate diff dist-tag dist-tags docs doctor exec explain find find-dupes fund get help help-search home hook i ic in info init innit ins inst insta install install-ci-test install-clean install-test isntall issues it la link list ll ln login logout ls org outdated owner pack ping pkg prefix profile prune publish query r rb rebuild remove repo restart rm root rum run run-script s sbom se search set shrinkwrap show star stars start stop t team test token tst uninstall un unlink unpublish unstar up update upgrade urn v verison version view whoami why x":
        "",
    },
    script: [
      "run",
      "run-script",
      "rum",
      "urn",
      "exec",
      "x",
      "create",
      "init",
      "innit",
      "test:",
      "t:",
      "tst:",
      "start:",
      "stop:",
      "restart:",
    ],
    readsBehindScript: true,
  },
  {
    name: "npx",
    flags: `-y -n -q -p= -w= -ws -c= --yes --no --no-install --quiet --silent --package= --call= --workspace= --workspaces --include-workspace-root
      --prefer-offline --prefer-online --offline --ignore-existing --loglevel= --verbose --legacy-peer-deps --force --script-shell=! --shell=!
      --node-options=! --userconfig=! --registry=! --prefix=> --node-arg=! --shell-auto-fallback=! --cache=> -h`,
    script: "first",
  },
  {
    name: "pnpm",
    refusedSubs: ["config set"],
    flags: `-C= -F= -r -s -w -y --aggregate-output --bail --color --config.node-linker= --dir= --fail-if-no-match --filter-prod= --filter= --if-present
      --ignore-workspace --loglevel= --no-bail --no-color --no-sort --parallel --recursive --reporter= --silent --sort --stream --test-pattern=
      --use-stderr --workspace-concurrency= --workspace-root --yes`,
    subs: {
      "install i ci": `-D -h -P --allow-build= --auto-dedupe --changed-files-ignore-pattern= --child-concurrency= --cpu= --dev --dry-run --env-file=
      --fetch-min-speed-ki-bps= --fetch-timeout= --fetch-warn-timeout-ms= --fix-lockfile --force --frozen-lockfile --frozen-store --hoist
      --hoist-pattern= --http-proxy= --https-proxy= --ignore-manifest-check --ignore-pnpmfile --ignore-scripts --include-workspace-root --libc=
      --lockfile-dir= --lockfile-only --merge-git-branch-lockfiles --merge-git-branch-lockfiles-branch-pattern= --modules-dir=> --network-concurrency=
      --no-frozen-lockfile --no-hoist --no-lockfile --no-optional --no-progress --no-proxy= --no-runtime --node-linker= --npmrc-auth-file=! --offline
      --optional --os= --package-import-method= --pnpr-server=! --prefer-frozen-lockfile --prefer-offline --prod --public-hoist-pattern= --registry=!
      --resolution-only --reverse --shamefully-hoist --side-effects-cache --state-dir=> --store-dir=> --strict-peer-dependencies --trust-lockfile
      --update-checksums --use-store-server --user-agent= --virtual-store-dir=> --workspace-packages=`,
      add: `-D -E -g -h -O -P --allow-build= --auto-dedupe --changed-files-ignore-pattern= --cpu= --dev --env-file= --force --global --http-proxy=
      --https-proxy= --ignore-pnpmfile --ignore-scripts --ignore-workspace-root-check --include-workspace-root --libc= --lockfile-dir= --lockfile-only
      --no-progress --no-proxy= --npmrc-auth-file=! --optional --os= --prod --registry= --reverse --save-build --save-catalog --save-catalog-name=
      --save-dev --save-exact --save-optional --save-peer --save-prefix= --save-prod --save-types --state-dir=> --store-dir=> --tilde --workspace
      --workspace-packages=`,
      "remove rm uninstall un": `-D -g -h -O -P --changed-files-ignore-pattern= --env-file= --global --http-proxy= --https-proxy= --include-workspace-root --lockfile-dir=
      --lockfile-only --no-progress --no-proxy= --npmrc-auth-file=! --registry= --reverse --save-dev --save-optional --save-prod --state-dir=>
      --store-dir=> --trust-lockfile --workspace-packages=`,
      "update up upgrade": `-D -E -g -h -i -L -P --changed-files-ignore-pattern= --changeset --cpu= --depth= --dev --env-file= --global --http-proxy= --https-proxy=
      --ignore-pnpmfile --ignore-scripts --include-github-actions --include-workspace-root --interactive --latest --libc= --lockfile-dir=
      --lockfile-only --no-progress --no-proxy= --no-save --npmrc-auth-file=! --optional --os= --patches --peer --pnpr-server=! --prod --registry=
      --reverse --save-exact --state-dir=> --store-dir=> --workspace --workspace-packages=`,
      "run run-script": `-h --changed-files-ignore-pattern= --dry-run --env-file= --http-proxy= --https-proxy= --include-workspace-root --json --no-progress --no-proxy=
      --npmrc-auth-file=! --registry= --reporter-hide-prefix --resume-from= --reverse --script-shell=! --sequential --state-dir=> --store-dir=>
      --workspace-packages=`,
      "test store link t tst ln": `-h --changed-files-ignore-pattern= --env-file= --http-proxy= --https-proxy= --include-workspace-root --no-progress --no-proxy=
      --npmrc-auth-file=! --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      exec: `-c -h --changed-files-ignore-pattern= --env-file= --http-proxy= --https-proxy= --include-workspace-root --no-progress --no-proxy=
      --npmrc-auth-file=! --registry= --reverse --shell-mode --state-dir=> --store-dir=> --workspace-packages=`,
      dlx: `-c -h -v --allow-build= --changed-files-ignore-pattern= --cpu= --env-file= --http-proxy= --https-proxy= --include-workspace-root --libc=
      --no-progress --no-proxy= --npmrc-auth-file=! --os= --package= --registry= --reverse --shell-mode --state-dir=> --store-dir=>
      --workspace-packages=`,
      "list ls": `-D -g -h -P --changed-files-ignore-pattern= --depth= --dev --env-file= --exclude-peers --find-by= --global --http-proxy= --https-proxy=
      --include-workspace-root --json --lockfile-only --long --no-progress --no-proxy= --npmrc-auth-file=! --only-projects --optional --parseable
      --prod --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      outdated: `-D -g -h -P --changed-files-ignore-pattern= --compatible --dev --env-file= --format= --global --http-proxy= --https-proxy=
      --include-github-actions --include-workspace-root --json --long --no-progress --no-proxy= --no-table --notes --npmrc-auth-file=! --optional
      --prod --registry= --reverse --sort-by= --state-dir=> --store-dir=> --workspace-packages=`,
      why: `-D -h -P --changed-files-ignore-pattern= --depth= --dev --env-file= --exclude-peers --find-by= --http-proxy= --https-proxy=
      --include-workspace-root --json --long --no-progress --no-proxy= --npmrc-auth-file=! --optional --parseable --prod --registry= --reverse
      --state-dir=> --store-dir=> --workspace-packages=`,
      audit: `-D -h -i -P --audit-level= --changed-files-ignore-pattern= --dev --env-file= --fix --http-proxy= --https-proxy= --ignore-registry-errors
      --ignore-unfixable --ignore= --include-workspace-root --interactive --json --no-progress --no-proxy= --npmrc-auth-file=! --optional --prod
      --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      build: "",
      "rebuild rb": `-h --changed-files-ignore-pattern= --env-file= --http-proxy= --https-proxy= --include-workspace-root --no-progress --no-proxy=
      --npmrc-auth-file=! --pending --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      unlink: `-h --changed-files-ignore-pattern= --env-file= --http-proxy= --https-proxy= --ignore-pnpmfile --include-workspace-root --no-progress --no-proxy=
      --npmrc-auth-file=! --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      import: `-h --changed-files-ignore-pattern= --env-file= --http-proxy= --https-proxy= --include-workspace-root --no-progress --no-proxy=
      --npmrc-auth-file=! --pnpr-server=! --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      pack: `-h --changed-files-ignore-pattern= --dry-run --env-file= --http-proxy= --https-proxy= --include-workspace-root --json --no-progress --no-proxy=
      --npmrc-auth-file=! --out=> --pack-destination=> --pack-gzip-level= --registry= --reverse --skip-manifest-obfuscation --state-dir=> --store-dir=>
      --variant= --workspace-packages=`,
      publish: `-h --access= --batch --changed-files-ignore-pattern= --dry-run --embed-readme --env-file= --force --http-proxy= --https-proxy= --ignore-scripts
      --include-workspace-root --json --no-git-checks --no-progress --no-proxy= --no-variants --npmrc-auth-file=! --otp= --provenance
      --publication-name= --publish-branch= --publish-wait-timeout= --registry= --release-notes= --report-summary --reverse
      --skip-manifest-obfuscation --state-dir=> --store-dir=> --tag= --upload-variant= --variant-integrity= --workspace-packages=`,
      prune: `-D -h -P --changed-files-ignore-pattern= --dev --env-file= --http-proxy= --https-proxy= --ignore-scripts --include-workspace-root --no-progress
      --no-proxy= --npmrc-auth-file=! --optional --prod --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      fetch: `-D -h -P --changed-files-ignore-pattern= --dev --env-file= --http-proxy= --https-proxy= --ignore-pnpmfile --include-workspace-root --no-progress
      --no-proxy= --npmrc-auth-file=! --prod --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      deploy: `-D -h -P --allow-build= --auto-dedupe --changed-files-ignore-pattern= --cpu= --dev --dry-run --env-file= --fetch-min-speed-ki-bps=
      --fetch-timeout= --fetch-warn-timeout-ms= --fix-lockfile --force --frozen-lockfile --frozen-store --http-proxy= --https-proxy=
      --ignore-manifest-check --ignore-pnpmfile --ignore-scripts --include-workspace-root --legacy --libc= --lockfile-dir= --lockfile-only
      --merge-git-branch-lockfiles --merge-git-branch-lockfiles-branch-pattern= --network-concurrency= --no-progress --no-proxy= --no-runtime
      --node-linker= --npmrc-auth-file=! --offline --optional --os= --pnpr-server=! --prefer-frozen-lockfile --prefer-offline --prod --registry=
      --reverse --state-dir=> --store-dir=> --trust-lockfile --update-checksums --user-agent= --workspace-packages=`,
      licenses: `-D -h -O -P --changed-files-ignore-pattern= --dev --env-file= --http-proxy= --https-proxy= --include-workspace-root --json --long --no-progress
      --no-proxy= --npmrc-auth-file=! --optional --prod --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      patch: `-d= -h --changed-files-ignore-pattern= --edit-dir=> --env-file= --http-proxy= --https-proxy= --ignore-existing --include-workspace-root
      --no-progress --no-proxy= --npmrc-auth-file=! --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      init: `-h --bare --changed-files-ignore-pattern= --env-file= --http-proxy= --https-proxy= --include-workspace-root --init-package-manager --init-type=
      --no-progress --no-proxy= --npmrc-auth-file=! --registry= --reverse --state-dir=> --store-dir=> --workspace-packages=`,
      create: `-c -h --allow-build= --changed-files-ignore-pattern= --cpu= --env-file= --http-proxy= --https-proxy= --include-workspace-root --libc=
      --no-progress --no-proxy= --npmrc-auth-file=! --os= --registry= --reverse --shell-mode --state-dir=> --store-dir=> --workspace-packages=`,
      "bin root config setup env server doctor approve-builds ignored-builds cat-file cat-index find-hash patch-commit patch-remove dedupe self-update cache login logout whoami view info search version start stop restart docs":
        "-g --global --json --fix --check --lts",
    },
    script: ["run", "run-script", "exec", "dlx", "create", "test:", "t:", "tst:", "start:", "restart:", "stop:"],
    otherSubIsScript: true,
  },
  {
    name: "yarn",
    refusedSubs: ["set version", "plugin import", "config set"],
    flags: `-D -W -E -T -P -O -A -R -L -C -i -v -p -t -j= -s --cwd=~ --frozen-lockfile --immutable --immutable-cache --check-cache --dev --ignore-scripts
      --production? --prod --json --silent --offline --check-files --force --network-timeout= --network-concurrency= --mode= --inline-builds
      --lockfile --pure-lockfile --ignore-engines --ignore-platform --ignore-optional --ignore-workspace-root-check --non-interactive --interactive
      --verbose --prefer-offline --exact --tilde --caret --peer --optional --pattern= --depth= --all --recursive --since? --parallel --topological
      --topological-dev --interlaced --jobs= --from= --include= --exclude= --scope= --latest --flat --har --mutex= --audit --groups= --level=
      --skip-integrity-check --update-checksums --strict --emoji --progress --top-level --binaries-only --inspect? --inspect-brk? --new-version=
      --patch --minor --major --no-git-tag-version --access= --tag= --tolerate-republish --no-default-rc --cache-folder=> --modules-folder=>
      --global-folder=> --link-folder=> --preferred-cache-folder=> --use-yarnrc=! --registry=! --https-proxy=! --proxy=! --script-shell=!
      --scripts-prepend-node-path --environment= --severity= --why --virtuals --name-only --dependents --fields= --manifest --cache --package= --quiet
      -q --private --workspace -w`,
    subs: {
      "install add remove up upgrade upgrade-interactive run test exec dlx workspace workspaces why list ls outdated info audit build cache clean config constraints create dedupe explain generate-lock-entry global help import init licenses link login logout node npm owner pack patch patch-commit plugin policies publish rebuild search set stage start stop tag team unlink unplug version versions check autoclean bin integrity self-update tags who whoami":
        "",
    },
    script: ["run", "exec", "dlx", "create", "workspace", "node:", "test:", "start:", "stop:"],
    otherSubIsScript: true,
  },
  {
    name: "bun",
    flags: `-d -D -E -g -f -F= -p -t= -u -w= -y -v -b --watch --hot --smol --bun --silent --if-present --filter= --cwd=~ --elide-lines= --production
      --frozen-lockfile --no-save --save --dry-run --force --no-cache --verbose --no-progress --no-summary --no-verify --ignore-scripts --trust
      --global --backend= --concurrent-scripts= --network-concurrency= --save-text-lockfile --lockfile-only --omit= --dev --optional --peer --exact
      --analyze --only-missing --latest -i --interactive --recursive --all --timeout= --update-snapshots --rerun-each= --todo --only
      --test-name-pattern= --bail? --coverage --coverage-reporter= --coverage-dir=> --reporter= --reporter-outfile=> --randomize --seed= --concurrent
      --max-concurrency= --pass-with-no-tests --dots --target= --minify --sourcemap? --outfile=> --outdir=> --format= --splitting --external=
      --define= --entry-naming= --chunk-naming= --asset-naming= --public-path= --root= --packages= --no-bundle --compile --bytecode --production
      --env= --metafile=> --minify-syntax --minify-whitespace --minify-identifiers --banner= --footer= --drop= --loader= --jsx-runtime= --conditions=
      --tsconfig-override=! -r=! --preload=! --require=! --import=! -e=! --eval=! --print=! --config=! -c=! --shell=! --inspect? --inspect-brk?
      --inspect-wait? --env-file= --no-env-file --port= --no-install --prefer-offline --prefer-latest --install= --revision --registry=! --cafile=!
      --ca=! --cache-dir=> --no-clear-screen --no-orphans --zero-fill-buffers --dns-result-order= --title= --json --long --depth= --access= --tag=
      --otp= --destination=> --filename=> --no-git-tag-version --message= --preid= --audit-level= --prod --parallel --sequential --workspaces`,
    subs: {
      "install i ci add a update outdated publish create c x run test build init upgrade pm remove rm link unlink patch info why audit repl exec pack version help":
        "",
    },
    script: ["run", "x", "create", "c", "exec"],
    otherSubIsScript: true,
  },
  { name: "pip", ...PIP },
  { name: "pip3", ...PIP },
  {
    name: "uv",
    flags: `-q -v -n -p= -U -P= -r= -c= -e= -o=> -i=! -f= -y -w --quiet --verbose --offline --no-progress --color= --native-tls --project=~ --directory=~
      --no-config --cache-dir=> --no-cache --refresh --refresh-package= --python=! --managed-python --no-python-downloads --python-preference=
      --index=! --default-index=! --index-url=! --extra-index-url=! --find-links= --no-index --index-strategy= --resolution= --prerelease=
      --fork-strategy= --exclude-newer= --no-sources --upgrade --upgrade-package= --reinstall --reinstall-package= --link-mode= --compile-bytecode
      --no-build --no-build-package= --no-build-isolation --no-binary --no-binary-package= --frozen --locked --inexact --exact --active --isolated
      --no-project --no-sync --no-install-project --no-install-workspace --no-install-package= --no-editable --extra= --all-extras --no-extra= --dev
      --no-dev --only-dev --group= --no-group= --only-group= --all-groups --no-default-groups --package= --all-packages --script -s -m --module
      --with= --with-editable= --with-requirements= --env-file=! --no-env-file --depth= --prune= --no-dedupe --invert --outdated --universal --format=
      --json --system --break-system-packages --target=> --prefix=> --requirement= --constraint= --override= --editable= --output-file=> --no-header
      --no-annotate --no-hashes --generate-hashes --no-emit-project --no-emit-package= --all --strict --user --seed --clear --prompt= --allow-existing
      --relocatable --out-dir=> --sdist --wheel --bare --lib --app --package --name= --description= --build-backend= --vcs= --no-readme --no-workspace
      --optional= --bounds= --raw-sources --rev= --tag= --branch= --raw --marker= --short --bump= --dry-run --check --force --install-dir=>
      --only-installed --only-downloads --all-versions --config-file=! --config-setting=! --keyring-provider=! --allow-insecure-host=! --publish-url=
      --token= --index-strategy= --python-version= --python-platform= --torch-backend= --only-binary= --no-deps --pre --group --from= --gui-script`,
    subs: {
      "run add remove sync lock export tree tool python pip venv build publish cache init version self help format x":
        "",
    },
    plain: [INDEX, [/^(?:-p|--python)$/, /^[\w.@+<>=,*-]+$/]],
    script: ["run", "tool run", "x"],
  },
  {
    name: "uvx",
    flags: `-q -v -p= --from= --with= --with-editable= --python= --refresh --isolated --no-cache --offline --index=! --index-url=! --extra-index-url=! -U
      --upgrade --quiet --verbose --no-config --prerelease=`,
    script: "first",
    plain: [INDEX],
  },
];
