import type { Within } from "../types.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** A program that runs the command after its own flags. Flags are written as in ReadOnlyRow. */
export type LauncherRow = {
  readonly name: string;
  readonly sub?: readonly string[];
  /** Flags that may precede `sub`. */
  readonly globals?: readonly string[];
  readonly flags: readonly string[];
  /** Operands of its own before the command: `timeout`'s duration. */
  readonly operands?: readonly RegExp[];
  readonly takesAssignments?: boolean;
  /** True if flags may also follow the launcher's own operands: `setarch x86_64 -R make`. */
  readonly takesFlagsAgain?: boolean;
  /** `script`: a shell joins and reads the words. */
  readonly takes: "words" | "script";
  /** With one of these flags the words are passed on unchanged. */
  readonly wordsFlags?: readonly string[];
  /** With one of these flags the launcher does more than start the command. */
  readonly opaqueFlags?: readonly string[];
  /** With one of these flags the launcher starts nothing. */
  readonly plainFlags?: readonly string[];
  /** Flags whose value is the folder where the command runs. */
  readonly folderFlags?: readonly string[];
  /** A flag whose value is inserted before the words. */
  readonly headFlag?: string;
  /** Without a command, the launcher starts nothing, or a shell that reads its input. */
  readonly without: "nothing" | "unknown";
  /** True if the launcher has no effect of its own. */
  readonly isTransparent: boolean;
  readonly within: Within;
  /** The started program, as written. */
  /** The parts that cannot be known. */
};

const DURATION = /^[0-9]+(?:\.[0-9]+)?[smhd]?$/;
const NAME = /^[A-Za-z0-9][\w.@:/-]*$/;

const wrapper = (name: string, flags: string, row: Partial<LauncherRow> = {}): LauncherRow => ({
  name,
  flags: flags === "" ? [] : words(flags),
  takes: "words",
  without: "nothing",
  isTransparent: true,
  within: "arguments",
  ...row,
});

const EXEC_FLAGS =
  "-d -i -t -T --detach --interactive --tty --privileged -e= --env= --env-file= -u= --user= -w= --workdir=";
const RUN_FLAGS = `-d -i -t --rm --init --privileged --read-only -P --publish-all --detach --interactive --tty --no-healthcheck --no-deps --quiet -q --service-ports
  --build -e= --env= --env-file= -v= --volume= --mount= -w= --workdir= -p= --publish= -u= --user= -h= --hostname= -l= --label= -m= --memory= -c= --cpu-shares= --cpus=
  -a= --attach= --name= --network= --net= --network-alias= --entrypoint= --platform= --add-host= --cap-add= --cap-drop= --security-opt= --device= --gpus= --ipc= --pid= --restart=
  --shm-size= --tmpfs= --ulimit= --dns= --link= --log-driver= --log-opt= --pull= --group-add= --volumes-from= --userns= --stop-signal= --stop-timeout= --sysctl= --runtime= --cidfile=
  --expose= --annotation= --cgroupns= --isolation=`;
const ENGINE_GLOBALS = words(
  "--context= -H= --host= -l= --log-level= -D --debug --config= --url= --connection= -r --remote",
);
const COMPOSE_GLOBALS = words(
  "-f= --file= -p= --project-name= --profile= --env-file= --project-directory= --ansi= --progress= --verbose --compatibility",
);

function engine(name: string): readonly LauncherRow[] {
  const row = (sub: string, flags: string, more: Partial<LauncherRow> = {}): LauncherRow => ({
    name,
    sub: sub.split(" "),
    globals: ENGINE_GLOBALS,
    flags: words(flags),
    operands: [NAME],
    takes: "words",
    without: "nothing",
    isTransparent: false,
    within: "container",

    ...more,
  });
  return [
    row("exec", EXEC_FLAGS),
    row("container exec", EXEC_FLAGS),
    row("run", RUN_FLAGS, {
      headFlag: "--entrypoint",
    }),
    row("container run", RUN_FLAGS, { headFlag: "--entrypoint" }),
  ];
}

function compose(name: string, sub: readonly string[], globals: readonly string[]): readonly LauncherRow[] {
  return ["exec", "run"].map((last) => ({
    name,
    sub: [...sub, last],
    globals,
    flags: words(last === "exec" ? `${EXEC_FLAGS} --index=` : RUN_FLAGS),
    ...(last === "run" && { headFlag: "--entrypoint" }),
    operands: [NAME],
    takes: "words",
    without: "nothing",
    isTransparent: false,
    within: "container",
  }));
}

type MoreWrapper = readonly [
  name: string,
  flags: string,
  more?: { readonly example?: string; readonly row?: Partial<LauncherRow> },
];

const ARCHITECTURE =
  "-B -F -I -L -R -S -T -X -Z -3 -v --32bit --fdpic-funcptrs --short-inode --addr-no-randomize --whole-seconds --sticky-timeouts --read-implies-exec --mmap-page-zero --3gb --4gb --uname-2.6 --verbose";

/** Programs that change the rights, the place or the speed of a command, or that watch it. */
const MORE_WRAPPERS: readonly MoreWrapper[] = [
  [
    "setpriv",
    "--clear-groups --keep-groups --init-groups --groups= --reuid= --regid= --ruid= --euid= --rgid= --egid= --no-new-privs --nnp --inh-caps= --ambient-caps= --bounding-set= --securebits= --selinux-label= --apparmor-profile= --pdeathsig= --reset-env -d --dump",
    { example: "--reuid=0" },
  ],
  [
    "prlimit",
    "-c? -d? -e? -f? -i? -l? -m? -n? -q? -r? -s? -t? -u? -v? -x? -y? --core? --data? --fsize? --nofile? --nproc? --rss? --stack? --cpu? --as? --memlock? --noheadings --raw --verbose",
    { example: "--nofile=10" },
  ],
  ["setarch", ARCHITECTURE, { example: "x86_64 -R", row: { operands: [/^(?!-)[\w.]+$/], takesFlagsAgain: true } }],
  ...["linux64", "linux32", "i386", "i686", "x86_64", "uname26"].map((name): MoreWrapper => [name, ARCHITECTURE]),
  [
    "numactl",
    "-a -b -H -l -s -i= -p= -P= -N= -m= -C= --all --hardware --show --localalloc --interleave= --preferred= --cpunodebind= --membind= --physcpubind=",
    { example: "-N 0" },
  ],
  [
    "systemd-run",
    "-d -G -P -q -r -S -t --scope --user --system --wait --pty --pipe --quiet --collect --same-dir --shell --no-block --no-ask-password --remain-after-exit --send-sighup --slice-inherit -u= -p= -E= -H= -M= --unit= --property= --setenv= --uid= --gid= --nice= --slice= --description= --service-type= --working-directory= --on-active= --on-calendar=",
    { example: "--user --scope" },
  ],
  [
    "bwrap",
    "--unshare-all --unshare-user --unshare-net --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup --share-net --die-with-parent --new-session --as-pid-1 --clearenv --proc= --dev= --tmpfs= --mqueue= --dir= --chdir= --uid= --gid= --hostname= --cap-add= --cap-drop= --unsetenv= --bind=2 --dev-bind=2 --ro-bind=2 --bind-try=2 --ro-bind-try=2 --dev-bind-try=2 --symlink=2 --setenv=2",
    { example: "--ro-bind / / --dev /dev" },
  ],
  [
    "firejail",
    "--quiet --noprofile --private? --net? --noroot --profile? --appimage --caps.drop? --seccomp?",
    { example: "--quiet" },
  ],
  ["fakeroot", "-u -h -v -l= -s= -i= -b= --lib= --save-file= --unknown-is-real"],
  ["fakechroot", "-s -e= -c="],
  ["proot", "-0 -S= -r= -b= -w= -q= -v= --rootfs= --bind= --cwd=", { example: "-0" }],
  [
    "xvfb-run",
    "-a -h -l -e= -f= -n= -p= -s= -w= --auto-servernum --error-file= --server-num= --server-args= --wait=",
    { example: "-a" },
  ],
  ["dbus-run-session", "--config-file= --dbus-daemon="],
  [
    "valgrind",
    "-q -v --quiet --verbose --tool? --leak-check? --track-origins? --error-exitcode? --show-leak-kinds? --num-callers? --trace-children? --suppressions? --gen-suppressions? --log-file? --xml? --xml-file? --undef-value-errors? --massif-out-file? --callgrind-out-file?",
    { example: "--leak-check=full" },
  ],
  ["catchsegv", ""],
  ["gosu", "", { example: "bob", row: { operands: [/^[\w.:-]+$/], within: "elevated" } }],
  ["su-exec", "", { example: "bob", row: { operands: [/^[\w.:-]+$/], within: "elevated" } }],
  ["tini", "-s -g -v -w -p= -e=", { example: "--" }],
  ["dumb-init", "-c -v --single-child --verbose --rewrite=", { example: "--" }],
  ["torsocks", "-i -q -u= -p= --quiet"],
  ["proxychains", "-q -f="],
  ["proxychains4", "-q -f="],
  ["rlwrap", "-a? -A? -c -i -n -N -r -R -v -H= -f= -s= -b= -C= -p?"],
  ["faketime", "-m -f --exclude-monotonic", { example: "yesterday", row: { operands: [/^[^-]/] } }],
  ["caffeinate", "-d -i -m -s -u -t= -w="],
  ["cgexec", "-g= --sticky", { example: "-g cpu:x" }],
  ["daemonize", "-a -v -c= -e= -o= -p= -l= -u= -E="],
  ["softlimit", "-a= -c= -d= -f= -l= -m= -o= -p= -r= -s= -t="],
];

/** Programs that start the command in their words in a way that a table can describe. */
export const LAUNCHER_ROWS: readonly LauncherRow[] = [
  // -S splits a text by special rules. A program that loses its environment may do things that the environment forbade.
  wrapper("env", "-i -0 -v -u= -C= --ignore-environment --unset= --chdir= --debug", {
    takesAssignments: true,
    opaqueFlags: ["-i", "-u", "-C", "--ignore-environment", "--unset", "--chdir"],
    folderFlags: ["-C", "--chdir"],
  }),
  wrapper("timeout", "-k= --kill-after= -s= --signal= --preserve-status --foreground -v --verbose", {
    operands: [DURATION],
  }),
  wrapper("time", "-p"),
  wrapper("nice", "-n= --adjustment= -#"),
  wrapper("nohup", ""),
  wrapper("stdbuf", "-i= -o= -e= --input= --output= --error="),
  wrapper("command", "-p -v -V", {
    plainFlags: ["-v", "-V"],
  }),
  wrapper("builtin", ""),
  wrapper("noglob", ""),
  wrapper("exec", "-c -l -a=", {
    opaqueFlags: ["-c", "-l", "-a"],
  }),
  wrapper("ionice", "-c= -n= -t --class= --classdata= --ignore"),
  wrapper("taskset", "-a -c --all-tasks --cpu-list", {
    operands: [/^[0-9a-fx,-]+$/i],
  }),
  wrapper("chrt", "-b -f -i -o -r -a -R --batch --fifo --idle --other --rr --all-tasks --reset-on-fork", {
    operands: [/^\d+$/],
    isTransparent: false,
  }),
  wrapper("setsid", "-c -f -w --ctty --fork --wait", {
    isTransparent: false,
  }),
  wrapper("busybox", "", {
    isTransparent: false,
    plainFlags: [],
  }),
  wrapper("toybox", "", {
    isTransparent: false,
  }),
  wrapper(
    "sudo",
    `-A -b -E -H -i -k -K -l -n -P -S -s -B -v -V -C= -D= -g= -h= -p= -r= -t= -T= -u= -U= --askpass --background --chdir= --group= --list --login
    --non-interactive --preserve-env? --prompt= --reset-timestamp --shell --stdin --user= --validate --version --set-home`,
    {
      takesAssignments: true,
      plainFlags: ["-l", "-v", "-V", "-K", "--list", "--validate", "--version"],
      folderFlags: ["-D", "--chdir"],
      without: "unknown",
      isTransparent: false,
      within: "elevated",
    },
  ),
  wrapper("doas", "-n -L -C= -u=", {
    without: "unknown",
    isTransparent: false,
    within: "elevated",
  }),
  wrapper("pkexec", "--user= --disable-internal-agent --keep-cwd", {
    without: "unknown",
    isTransparent: false,
    within: "elevated",
  }),
  wrapper("chroot", "--userspec= --groups= --skip-chdir", {
    operands: [/^[^-]/],
    without: "unknown",
    isTransparent: false,
    within: "container",
  }),
  wrapper(
    "watch",
    "-n= -d? -t -b -e -g -c -x -p -w --interval= --differences? --no-title --beep --errexit --chgexit --color --exec --precise --no-wrap",
    {
      takes: "script",
      wordsFlags: ["-x", "--exec"],
      isTransparent: false,
    },
  ),
  wrapper(
    "strace",
    `-f -ff -c -C -d -h -i -k -n -q -qq -r -t -tt -ttt -T -v -V -w -x -xx -y -yy -z -Z -a= -b= -e= -E= -I= -o= -O= -p= -P= -s= -S= -u= -U=
    --follow-forks --trace= --output= --string-limit=`,
    {
      isTransparent: false,
    },
  ),
  wrapper("ltrace", "-f -c -C -i -L -r -S -t -tt -ttt -T -v -a= -e= -l= -n= -o= -p= -s= -u= -x= -A= -D=", {
    isTransparent: false,
  }),
  wrapper("gdb", "-q -nx -batch --quiet --nx --batch --args", {
    isTransparent: false,
  }),
  ...MORE_WRAPPERS.map(([name, flags, more]) =>
    wrapper(name, `${flags} --version --help`, {
      isTransparent: false,
      plainFlags: ["--version", "--help"],

      ...more?.row,
    }),
  ),
  ...["stat", "record", "trace"].map((sub) => ({
    ...wrapper("perf", "-a -d -g -v -i -e= -r= -o= -x= -F= -p= --event= --repeat= --output= --call-graph=", {
      isTransparent: false,
    }),
    sub: [sub],
  })),
  ...engine("docker"),
  ...engine("podman"),
  ...engine("nerdctl"),
  ...compose("docker", ["compose"], ENGINE_GLOBALS),
  ...compose("docker-compose", [], COMPOSE_GLOBALS),
];
