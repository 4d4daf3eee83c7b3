import { below, SHOP_PLUGIN } from "./plugin-fixture.ts";
import { tempProject } from "./temp-project.ts";

const IDENTITY = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b.c",
};

/** A marketplace in the published layout with the plugin `shop`, in a git repository. */
export async function gitMarketplace(entry: object = {}) {
  const list = {
    name: "corner",
    owner: { name: "Ann" },
    plugins: [{ name: "shop", source: "./plugins/shop", description: "Helps in a shop", ...entry }],
  };
  const folder = await tempProject({
    ".claude-plugin/marketplace.json": JSON.stringify(list),
    ...below("plugins/shop", SHOP_PLUGIN),
  });
  const git = (...args: readonly string[]) => {
    const ended = Bun.spawnSync(["git", ...args], { cwd: folder.dir, env: { ...process.env, ...IDENTITY } });
    if (ended.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${ended.stderr}`);
    return ended.stdout.toString().trim();
  };
  git("init", "-q", "-b", "main");
  const commit = (message: string) => {
    git("add", "-A");
    git("commit", "-q", "-m", message);
    return git("rev-parse", "HEAD");
  };
  const first = commit("Open");
  return { ...folder, git, commit, first, url: `file://${folder.dir}` };
}
