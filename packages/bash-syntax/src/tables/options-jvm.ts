import type { OptionTable } from "../option-table.ts";

/** Properties of Maven that select the tests and checks to run. */
const MAVEN_PROPERTY =
  /^(?:skipTests|skipITs|skip\w*|maven\.(?:test|javadoc|source|install|deploy)\.skip|test|it\.test|groups|excludedGroups|surefire\.\w+|failIfNoTests|failsafe\.\w+|checkstyle\.skip|spotless\.\w+\.skip|spring-boot\.run\.profiles|revision|style\.color)(?:=|$)/;
const GRADLE_PROPERTY =
  /^(?:org\.gradle\.(?:parallel|caching|daemon|workers\.max|logging\.level|console|warning\.mode)|test\.single)=/;
/** A goal of another plugin than these may be any program. */
const OTHER_PLUGIN =
  /^(?!(?:dependency|versions|help|surefire|failsafe|compiler|resources|jar|war|source|javadoc|install|deploy|clean|spring-boot|quarkus|spotless|checkstyle|pmd|spotbugs|jacoco|enforcer|site|release):[\w-]+$)[\w.-]+:/;

const GRADLE: Omit<OptionTable, "name"> = {
  flags: `-? -h -v -V -q -w -i -d -s -S -t -m -a -U -x= -P= -D=! -I=! -b=! -c=! -p=> -g=! -M= -F= --info --debug --quiet --warn --stacktrace --full-stacktrace
    --continuous --dry-run --exclude-task= --project-prop= --system-prop=! --init-script=! --build-file=! --settings-file=! --project-dir=>
    --gradle-user-home=! --project-cache-dir=> --include-build=! --tests= --test-dry-run --continue --parallel --daemon --foreground --build-cache
    --configuration-cache --configuration-cache-problems= --configure-on-demand --offline --refresh-dependencies --rerun-tasks --rerun --max-workers=
    --warning-mode= --console= --profile --scan --priority= --status --stop --write-locks --update-locks= --export-keys --refresh-keys
    --watch-fs --args= --configuration= --dependency= --all --fail-fast --group= --task= --types --no-rebuild --write-verification-metadata=
    --dependency-verification= --show-version`,
  plain: [[/^(?:-D|--system-prop)$/, GRADLE_PROPERTY]],
};

/** Options of build programs for the JVM and for .NET. */
export const JVM_OPTIONS: readonly OptionTable[] = [
  { name: "gradle", ...GRADLE },
  { name: "gradlew", ...GRADLE },
  ...["mvn", "mvnw"].map((name) => ({
    name,
    flags: `-am -amd -B -b= -C -c -cpu -D=! -e -emp=! -ep=! -f=! -fae -ff -fn -gs=! -gt=! -h -itr -l=> -llr -N -nsu -npr -npu -ntp -o -P= -pl= -q -rf= -s=! -t=!
    -T= -U -up -v -V -X --also-make --also-make-dependents --batch-mode --builder= --color= --strict-checksums --lax-checksums --define=! --errors
    --encrypt-master-password=! --encrypt-password=! --file=! --fail-at-end --fail-fast --fail-never --global-settings=! --global-toolchains=!
    --help --log-file=> --non-recursive --no-snapshot-updates --no-transfer-progress --offline --activate-profiles= --projects= --quiet
    --resume-from= --settings=! --toolchains=! --threads= --update-snapshots --show-version --debug`,
    plain: [[/^(?:-D|--define)$/, MAVEN_PROPERTY] as const],
    refusedOperand: OTHER_PLUGIN,
  })),
  {
    name: "dotnet",
    flags: `-a= -bl? -c= -f= -h -l=! -m? -maxcpucount? -n= -nologo -o=> -p=! -r= -s=! -t -v= --arch= --artifacts-path=> --blame --blame-crash --blame-hang
    --collect=! --configuration= --framework= --filter= --force --include-source --include-symbols --interactive --launch-profile= --list-tests
    --locked-mode --logger=! --no-build --no-cache --no-dependencies --no-incremental --no-launch-profile --no-restore --nologo --os= --output=>
    --prerelease --project= --property=! --results-directory=> --runtime= --sc --self-contained? --settings=! --source=! --tl? --ucr
    --use-current-runtime --verbosity= --version= --version-suffix= --include= --exclude= --severity= --verify-no-changes --language= --lang= --name=
    --dry-run --outdated --vulnerable --deprecated --include-transitive --package= --diag=> --list-sdks --list-runtimes --info`,
    subs: {
      "build clean restore publish pack test run watch new add remove list sln solution reference package format help":
        "",
    },
    plain: [
      [/^-[a-z]$|^--logger$/, /^(?:trx|console|html)(?:;[\w]+=[\w.-]+)*$/],
      [/^--collect$/, /^XPlat Code Coverage(?:;Format=\w+)?$|^Code Coverage$/],
      [
        /^(?:-p|--property)$/,
        /^:?(?:Configuration|Platform|Version\w*|Publish(?:SingleFile|Trimmed|ReadyToRun|Aot)|SelfContained|TargetFramework|RuntimeIdentifier|TreatWarningsAsErrors|WarningLevel|CollectCoverage|CoverletOutputFormat)=[\w.+-]*$/,
      ],
    ],
    // MSBuild takes `/p:` for `-p:`.
    refusedOperand: /^\/(?:[a-z]+)(?::|$)/i,
  },
];
