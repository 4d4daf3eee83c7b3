import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import type { Check } from "../../contracts/doctor.ts";
import { proxyFor } from "../../platform/proxy-route.ts";
import { usableProxy } from "../../services/web/io/send-request.ts";

const ANY_PAGE = "https://example.com/";

/** Says how WebFetch reaches pages. No page is fetched. */
export async function checkWeb({
  env,
  settings,
}: Pick<ProjectEnvironment, "env" | "settings">): Promise<readonly Check[]> {
  const name = "pages";
  const route = proxyFor(ANY_PAGE, { ...env, ...settings.env });
  if (!route) {
    const text = "fetched directly; addresses of this machine and of private networks only if a rule names them";
    return [{ name, level: "ok", text }];
  }
  const { host, variable } = route;
  if (usableProxy(route) === undefined) {
    const text = `${variable} names no http or https proxy, so that WebFetch can't reach a page`;
    return [{ name, level: "warning", text, fix: `Set ${variable} to such a proxy, or add hosts to NO_PROXY.` }];
  }
  const text = `fetched through ${host} (${variable}), which resolves the names; it gets no local names and no addresses in numbers`;
  return [{ name, level: "ok", text }];
}
