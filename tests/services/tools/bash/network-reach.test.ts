import { expect, test } from "bun:test";
import { networkReach } from "../../../../src/services/tools/bash/network-reach.ts";
import { tempProject } from "../../../support/temp-project.ts";

const NPM = { registries: ["npm"], named: [] } as const;
const PYPI = { registries: ["pypi"], named: [] } as const;

async function reachWith(
  files: Readonly<Record<string, string>>,
  { reach = NPM, ...env }: { reach?: Parameters<typeof networkReach>[0] } & Record<string, unknown> = {},
) {
  await using home = await tempProject(files);
  const values = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
  return networkReach(reach, { HOME: home.dir, ...values });
}

const hostsOf = async (...given: Parameters<typeof reachWith>) =>
  (await reachWith(...given))?.hosts.map(({ host, port }) => (port === undefined ? host : `${host}:${port}`)) ?? [];

test("an install reaches the public registry, and the settings files of its manager stay readable", async () => {
  const reach = await reachWith({});
  expect(reach?.hosts).toEqual([{ host: "registry.npmjs.org" }]);
  expect(reach?.settings.some((path) => path.endsWith("/.npmrc"))).toBe(true);
  expect(reach?.settings).toContain(".npmrc");
});

test("registries that the person's own settings name are reached too, also on a private network", async () => {
  const npmrc = ["registry=https://npm.corp.example/api/", "@shop:registry = https://shop.example:8443/"].join("\n");
  expect((await reachWith({ ".npmrc": npmrc }))?.hosts).toEqual([
    { host: "npm.corp.example", isOwn: true },
    { host: "shop.example", isOwn: true },
    { host: "registry.npmjs.org" },
  ]);
  expect(
    await hostsOf(
      { ".config/pip/pip.conf": "[global]\nindex-url = https://pip.corp.example/simple\n" },
      { reach: PYPI },
    ),
  ).toContain("pip.corp.example");
  expect(await hostsOf({}, { reach: PYPI, UV_DEFAULT_INDEX: "https://uv.corp.example/simple" })).toContain(
    "uv.corp.example",
  );
  const sparse = '[registries.shop]\nindex = "sparse+https://crates.corp.example/index/"\n';
  expect(await hostsOf({ ".cargo/config.toml": sparse }, { reach: { registries: ["cargo"], named: [] } })).toContain(
    "crates.corp.example",
  );
  const berry = 'npmRegistryServer: "https://yarn.corp.example"\n';
  expect(await hostsOf({ ".yarnrc.yml": berry }, { reach: { registries: ["yarn"], named: [] } })).toContain(
    "yarn.corp.example",
  );
});

test("of a registry on this machine only its port is reached", async () => {
  expect(await hostsOf({ ".npmrc": "registry=http://localhost:4873/" })).toEqual([
    "localhost:4873",
    "registry.npmjs.org",
  ]);
});

test("a name that only begins like this machine's is another host", async () => {
  expect(await hostsOf({ ".npmrc": "registry=https://localhost.corp.example/" })).toEqual([
    "localhost.corp.example",
    "registry.npmjs.org",
  ]);
  const named = await reachWith({}, { reach: { registries: [], named: ["localhost.corp.example", "127.a.example"] } });
  expect(named?.hosts).toEqual([{ host: "localhost.corp.example" }, { host: "127.a.example" }]);
});

test("comments, proxies and registries that npm passes on from a project open nothing", async () => {
  const npmrc =
    "# registry=https://old.example\n; registry=https://older.example\nhttps-proxy=http://proxy.example:8080\n";
  expect(await hostsOf({ ".npmrc": npmrc })).toEqual(["registry.npmjs.org"]);
  const env = { npm_config_registry: "https://evil.example/" };
  expect(await hostsOf({}, { ...env, npm_lifecycle_event: "start" })).toEqual(["registry.npmjs.org"]);
  expect(await hostsOf({}, env)).toContain("evil.example");
});

test("a program that only fetches reaches the hosts that its words name, without those of this machine", () => {
  const reachOf = (...named: readonly string[]) => networkReach({ registries: [], named }, {});
  expect(reachOf("api.example")).toEqual({ hosts: [{ host: "api.example" }], needsAll: true, named: [], settings: [] });
  expect(reachOf("localhost", "127.0.0.1", "[::1]")).toBeUndefined();
});

test("a numeric address in the words is opened only by a rule that contains it, or by a person", () => {
  expect(networkReach({ registries: [], named: ["10.0.0.5", "api.example"] }, {})).toMatchObject({
    hosts: [{ host: "api.example" }],
    named: ["10.0.0.5"],
  });
});

test("a host in the words of an install is kept apart from its registries", () => {
  const reach = networkReach({ registries: ["pypi"], named: ["pypi.org", "mirror.example"] }, {});
  expect(reach?.named).toEqual(["mirror.example"]);
});
