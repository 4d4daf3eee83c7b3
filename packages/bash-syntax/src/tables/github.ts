import type { ReadOnlyRow } from "../command-row.ts";

const words = (text: string): readonly string[] => (text === "" ? [] : text.trim().split(/\s+/));

/** With another host, the request would go there; `env` in a jq program would print tokens. */
const REFUSED = /^[^/\s]+\/[^/\s]+\/|:\/\/|\benv\b|\$ENV/;
/** `git@host:a/b` leads to another host too. */
const REPOSITORY = /^[\w.-]+(?:\/[\w.-]+)?$/;
const NO_ADDRESS = /^(?!.*:\/\/)(?![^/]+\/[^/]+\/)[\w.#@/-]+$/;
const COMMON = "-R= --repo= --json? -q= --jq= -t= --template=";
const FILTER =
  "-L= --limit= -s= --state= -A= --author= -a= --assignee= -l= --label= -S= --search= -m= --milestone= --mention= --app= -d --draft -B= --base= -H= --head=";

/** Not -w/--web (opens a browser), --watch (waits), --hostname. `--json?` lists fields after `=` or in the next word. */
const gh = (sub: string, flags = ""): ReadOnlyRow => ({
  name: "gh",
  sub: sub.split(" "),
  flags: words(`${COMMON.replace("--json?", "--json=")} ${flags}`),
  operands: "text",
  operandShape: NO_ADDRESS,
  refusedValue: REFUSED,
  valueShapes: [
    ["-R", REPOSITORY],
    ["--repo", REPOSITORY],
  ],
  readsFolder: true,
});

/** The listing commands of GitHub's own client. */
export const GITHUB_ROWS: readonly ReadOnlyRow[] = [
  gh("pr list", FILTER),
  gh("pr view", "-c --comments"),
  gh("pr status", "-c --conflict-status"),
  gh("pr diff", "--name-only --patch --color="),
  gh("pr checks", "--required"),
  gh("issue list", FILTER),
  gh("issue view", "-c --comments"),
  gh("issue status", ""),
  gh(
    "run list",
    "-L= --limit= -w= --workflow= -b= --branch= -u= --user= -e= --event= -s= --status= -c= --commit= -a --all",
  ),
  gh("run view", "--log --log-failed -v --verbose -j= --job= -a= --attempt= --exit-status"),
  gh("workflow list", "-L= --limit= -a --all"),
  gh("workflow view", "-r= --ref= -y --yaml"),
  gh("release list", "-L= --limit= --exclude-drafts --exclude-pre-releases"),
  gh("release view", ""),
  gh("repo view", "-b= --branch="),
  gh("repo list", "-L= --limit= --source --fork -l= --language= --topic= --visibility="),
  gh("label list", "-L= --limit= -S= --search= --sort= --order="),
  ...["issues", "prs", "repos", "commits"].map((what) =>
    gh(`search ${what}`, "-L= --limit= --owner= --language= --label= --author= --sort= --order= --match="),
  ),
  gh("org list", "-L= --limit="),
  gh("ruleset list", "-L= --limit= -o= --org= -p --parents"),
  {
    name: "gh",
    sub: ["status"],
    flags: ["-e=", "--exclude=", "-o=", "--org="],
    operands: "none",
  },
  gh("cache list", "-L= --limit= -k= --key= -r= --ref= -S= --sort= -O= --order="),
  gh("gist list", "-L= --limit= --public --secret"),
  gh("variable list", "-e= --env= -o= --org="),
  ...["alias", "extension"].map(
    (sub): ReadOnlyRow => ({
      name: "gh",
      sub: [sub, "list"],
      flags: [],
      operands: "none",
    }),
  ),
  {
    name: "gh",
    sub: ["auth", "status"],
    flags: ["-a", "--active"],
    operands: "none",

    // -t shows the token.
  },
];
