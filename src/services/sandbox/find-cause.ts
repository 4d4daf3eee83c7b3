import { hasSysAdmin, type SystemFacts } from "./io/system-facts.ts";

/** A fault on this machine and its fix: one sentence each. */
export type Cause = { readonly what: string; readonly fix: string };

const INSTALL: readonly (readonly [distribution: RegExp, command: string])[] = [
  [/^(?:debian|ubuntu)$/, "apt install bubblewrap"],
  [/^(?:fedora|rhel|centos)$/, "dnf install bubblewrap"],
  [/^(?:arch|manjaro)$/, "pacman -S bubblewrap"],
  [/^alpine$/, "apk add bubblewrap"],
  [/^(?:opensuse|suse|sles)/, "zypper install bubblewrap"],
  [/^nixos$/, "nix-env -iA nixos.bubblewrap"],
  [/^void$/, "xbps-install bubblewrap"],
  [/^gentoo$/, "emerge sys-apps/bubblewrap"],
];

/** The command that installs bubblewrap here. */
export function installCommand({ distribution, isRoot }: Pick<SystemFacts, "distribution" | "isRoot">): string {
  const found = INSTALL.find(([pattern]) => distribution.some((name) => pattern.test(name)));
  if (!found) return "install the package bubblewrap";
  return isRoot ? found[1] : `sudo ${found[1]}`;
}

export function missingBubblewrap(facts: SystemFacts): Cause {
  return { what: "bubblewrap (bwrap) is not installed", fix: installCommand(facts) };
}

/**
 * The cause of a failed bubblewrap test, from its stderr and the system facts. Pure.
 * @param complaint The stderr of bwrap.
 */
export function bubblewrapCause(facts: SystemFacts, complaint: string): Cause {
  const said = complaint.split("\n")[0]?.replace(/^bwrap: /, "") || "bwrap printed nothing";
  if (facts.maxUserNamespaces === 0)
    return {
      what: "the kernel does not allow user namespaces (user.max_user_namespaces is 0)",
      fix: "sudo sysctl -w user.max_user_namespaces=15000",
    };
  if (facts.unprivilegedClone === false && !facts.isRoot)
    return {
      what: "only root may create user namespaces (kernel.unprivileged_userns_clone is 0)",
      fix: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
    };
  if (facts.appArmorRestricts === true && !facts.isRoot && !facts.hasBwrapProfile)
    return {
      what: "AppArmor denies user namespaces to programs without a profile (kernel.apparmor_restrict_unprivileged_userns is 1)",
      fix: "give bwrap a profile (docs/guide/sandbox.md shows it), or sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    };
  if (/mount proc|mounting proc|proc on \/newroot\/proc/i.test(complaint))
    return {
      what: `${machine(facts)} hides parts of /proc, so no new /proc can be mounted (${said})`,
      fix: "start the container with --security-opt systempaths=unconfined",
    };
  if (/RTM_NEWADDR|loopback/i.test(complaint))
    return {
      what: `bubblewrap can't set up a separate network (${said})`,
      fix: containerFix(facts, "allow bwrap the capability CAP_NET_ADMIN in its user namespace"),
    };
  if (facts.isRoot && !hasSysAdmin(facts))
    return {
      what: `root has no CAP_SYS_ADMIN here, and user namespaces are refused (${said})`,
      fix: containerFix(facts, "run as an ordinary user, or give root CAP_SYS_ADMIN"),
    };
  if (/namespace|clone|Operation not permitted|EPERM/i.test(complaint) && (facts.container || facts.isFiltered))
    return {
      what: `${machine(facts)} blocks new namespaces with a system call filter (${said})`,
      fix: containerFix(facts, "loosen the filter for clone, unshare, mount and pivot_root"),
    };
  if (/No space left on device/i.test(complaint))
    return {
      what: `the limit on user namespaces is reached (${said})`,
      fix: "sudo sysctl -w user.max_user_namespaces=15000",
    };
  return { what: `bubblewrap does not work here (${said})`, fix: "run `bwrap --ro-bind / / true` to see more" };
}

export function landlockCause(complaint: string, facts: SystemFacts): Cause {
  if (!facts.hasNativeCalls)
    return { what: "Landlock can't be used under Node", fix: "use the standalone executable, or run Quoll with Bun" };
  const said = /\((.*)\)\.?$/.exec(complaint.split("\n")[0] ?? "")?.[1] ?? (complaint.split("\n")[0] || "no answer");
  return {
    what: `Landlock does not work here (${said})`,
    fix: "use Linux 5.19 or newer with landlock among its lsm= modules",
  };
}

function machine({ container }: SystemFacts): string {
  return container === undefined ? "this system" : `this container (${container})`;
}

function containerFix({ container }: SystemFacts, otherwise: string): string {
  return container === undefined
    ? otherwise
    : "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or --privileged";
}
