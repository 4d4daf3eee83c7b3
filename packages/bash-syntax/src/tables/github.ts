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
const gh = (sub: string, flags = "", example = "", misses: readonly string[] = []): ReadOnlyRow => ({
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
  matches: [`gh ${sub}${example}`, `gh ${sub}${example} -R owner/repo --json number --jq '.[].number'`],
  misses: [
    `gh ${sub}${example} --web`,
    `gh ${sub}${example} -R evil.example/a/b`,
    `gh ${sub}${example} -R https://evil.example/a/b`,
    `gh ${sub}${example} -R git@evil.example:a/b`,
    `gh ${sub}${example} --hostname evil.example`,
    `gh ${sub}${example} --jq env.GH_TOKEN`,
    `gh ${sub} https://evil.example/a/b/pull/1`,
    "gh api user",
    ...misses,
  ],
});

/** The listing commands of GitHub's own client. */
export const GITHUB_ROWS: readonly ReadOnlyRow[] = [
  gh("pr list", FILTER, "", ["gh pr create", "gh pr merge 1"]),
  gh("pr view", "-c --comments", " 1", ["gh pr checkout 1", "gh pr comment 1"]),
  gh("pr status", "-c --conflict-status", "", ["gh pr close 1"]),
  gh("pr diff", "--name-only --patch --color=", " 1", ["gh pr edit 1"]),
  gh("pr checks", "--required", " 1", ["gh pr checks 1 --watch"]),
  gh("issue list", FILTER, "", ["gh issue create"]),
  gh("issue view", "-c --comments", " 1", ["gh issue close 1"]),
  gh("issue status", "", "", ["gh issue edit 1"]),
  gh(
    "run list",
    "-L= --limit= -w= --workflow= -b= --branch= -u= --user= -e= --event= -s= --status= -c= --commit= -a --all",
    "",
    ["gh run rerun 1"],
  ),
  gh("run view", "--log --log-failed -v --verbose -j= --job= -a= --attempt= --exit-status", " 1", [
    "gh run cancel 1",
    "gh run download 1",
    "gh run watch 1",
  ]),
  gh("workflow list", "-L= --limit= -a --all", "", ["gh workflow run x"]),
  gh("workflow view", "-r= --ref= -y --yaml", " ci", ["gh workflow disable x"]),
  gh("release list", "-L= --limit= --exclude-drafts --exclude-pre-releases", "", ["gh release delete x"]),
  gh("release view", "", " v1", ["gh release download v1", "gh release create v1"]),
  gh("repo view", "-b= --branch=", " owner/repo", ["gh repo clone a/b", "gh repo delete a/b"]),
  gh("repo list", "-L= --limit= --source --fork -l= --language= --topic= --visibility=", " owner", [
    "gh repo create x",
  ]),
  gh("label list", "-L= --limit= -S= --search= --sort= --order=", "", ["gh label create x"]),
  ...["issues", "prs", "repos", "commits"].map((what) =>
    gh(`search ${what}`, "-L= --limit= --owner= --language= --label= --author= --sort= --order= --match=", " text"),
  ),
  gh("org list", "-L= --limit="),
  gh("ruleset list", "-L= --limit= -o= --org= -p --parents"),
  {
    name: "gh",
    sub: ["status"],
    flags: ["-e=", "--exclude=", "-o=", "--org="],
    operands: "none",
    matches: ["gh status"],
    misses: ["gh status x", "gh status --hostname x", "gh status --web"],
  },
  gh("cache list", "-L= --limit= -k= --key= -r= --ref= -S= --sort= -O= --order=", "", ["gh cache delete x"]),
  gh("gist list", "-L= --limit= --public --secret", "", ["gh gist create a", "gh gist edit x"]),
  gh("variable list", "-e= --env= -o= --org=", "", ["gh variable set x", "gh secret set x"]),
  ...["alias", "extension"].map(
    (sub): ReadOnlyRow => ({
      name: "gh",
      sub: [sub, "list"],
      flags: [],
      operands: "none",
      matches: [`gh ${sub} list`],
      misses: [
        `gh ${sub} list x`,
        `gh ${sub} set x '!id'`,
        `gh ${sub} install a/b`,
        `gh ${sub} import f`,
        `gh ${sub} exec x`,
      ],
    }),
  ),
  {
    name: "gh",
    sub: ["auth", "status"],
    flags: ["-a", "--active"],
    operands: "none",
    matches: ["gh auth status"],
    // -t shows the token.
    misses: [
      "gh auth status -t",
      "gh auth status --show-token",
      "gh auth token",
      "gh auth login",
      "gh auth status --hostname x",
    ],
  },
];
