import { expect, test } from "bun:test";
import { pluginShop } from "../../../src/app/plugins/plugin-shop.ts";
import { idOf, readPluginStore } from "../../../src/app/plugins/plugin-store.ts";
import { oneProcess } from "../../support/app-harness.ts";
import { gitMarketplace } from "../../support/git-marketplace.ts";

const { signal } = new AbortController();
const ID = "shop@corner";

/** A shop of a process, and the plugins that it enabled. */
async function place() {
  const here = await oneProcess();
  const market = await gitMarketplace();
  const { own } = here.app;
  const enabled: string[] = [];
  const open = () =>
    pluginShop({
      environment: { own, env: { PATH: process.env["PATH"] ?? "" } },
      cwd: market.dir,
      setEnabled: async (id) => {
        enabled.push(id);
        return [`${id} is enabled.`];
      },
    });
  return {
    ...{ market, enabled, open, shop: open() },
    installed: async () => (await readPluginStore(own)).plugins.map(idOf),
    async [Symbol.asyncDispose]() {
      await market[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}

test("a marketplace is added and fetched again without installing anything, and its plugins are listed", async () => {
  await using here = await place();
  const { shop, market, installed } = here;
  expect(await shop.marketplaces()).toEqual([]);
  const corner = { name: "corner", origin: market.url, plugins: [{ name: "shop", description: "Helps in a shop" }] };
  expect(await shop.add(market.url, signal)).toMatchObject(corner);
  expect(await shop.update("corner", signal)).toMatchObject(corner);
  expect(await shop.marketplaces()).toMatchObject([corner]);
  expect(await installed()).toEqual([]);
});

test("a plugin is shown with what it may do, and installed and enabled after a yes to these files", async () => {
  await using here = await place();
  const { shop, market, installed, enabled } = here;
  await shop.add(market.url, signal);
  const offer = await shop.offer(ID, signal);
  expect(offer).toMatchObject({ id: ID, isInstalled: false });
  const lines = offer.lines.join("\n");
  expect(lines).toContain(`${ID} 1.0.0 from`);
  expect(lines).toContain(`commit ${market.first.slice(0, 12)}`);
  for (const part of ["runs at PreToolUse (Bash): bash", "starts the MCP server till"]) expect(lines).toContain(part);
  expect([await installed(), enabled]).toEqual([[], []]);
  expect(await shop.install(ID, offer.tree, signal)).toEqual([`Installed ${ID}.`, `${ID} is enabled.`]);
  expect([await installed(), enabled]).toEqual([[ID], [ID]]);
  expect(await shop.offer(ID, signal)).toMatchObject({ isInstalled: true, tree: offer.tree });
});

test("nothing is installed if the files changed after they were shown, or were never shown", async () => {
  await using here = await place();
  const { shop, market, installed, enabled, open } = here;
  await shop.add(market.url, signal);
  const { tree } = await shop.offer(ID, signal);
  await expect(open().install(ID, tree, signal)).rejects.toThrow("not those that you were shown");
  await market.write("plugins/shop/hooks/hooks.json", "{}");
  market.commit("Change");
  await shop.update("corner", signal);
  await expect(shop.install(ID, tree, signal)).rejects.toThrow("/plugins install shop@corner shows them");
  const changed = await shop.offer(ID, signal);
  expect(changed.tree).not.toBe(tree);
  await expect(shop.install(ID, tree, signal)).rejects.toThrow("nothing was installed");
  expect([await installed(), enabled]).toEqual([[], []]);
});
