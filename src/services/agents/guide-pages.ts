// Generated from the files of docs/guide: npm run docs.
import agents from "../../../docs/guide/agents.md" with { type: "text" };
import auth from "../../../docs/guide/auth.md" with { type: "text" };
import backgroundSessions from "../../../docs/guide/background-sessions.md" with { type: "text" };
import batch from "../../../docs/guide/batch.md" with { type: "text" };
import context from "../../../docs/guide/context.md" with { type: "text" };
import documents from "../../../docs/guide/documents.md" with { type: "text" };
import extensions from "../../../docs/guide/extensions.md" with { type: "text" };
import gateways from "../../../docs/guide/gateways.md" with { type: "text" };
import glossary from "../../../docs/guide/glossary.md" with { type: "text" };
import headless from "../../../docs/guide/headless.md" with { type: "text" };
import hooks from "../../../docs/guide/hooks.md" with { type: "text" };
import instructions from "../../../docs/guide/instructions.md" with { type: "text" };
import mcp from "../../../docs/guide/mcp.md" with { type: "text" };
import mcpServer from "../../../docs/guide/mcp-server.md" with { type: "text" };
import memory from "../../../docs/guide/memory.md" with { type: "text" };
import missing from "../../../docs/guide/missing.md" with { type: "text" };
import models from "../../../docs/guide/models.md" with { type: "text" };
import moving from "../../../docs/guide/moving.md" with { type: "text" };
import offline from "../../../docs/guide/offline.md" with { type: "text" };
import permissions from "../../../docs/guide/permissions.md" with { type: "text" };
import plugins from "../../../docs/guide/plugins.md" with { type: "text" };
import prompt from "../../../docs/guide/prompt.md" with { type: "text" };
import questions from "../../../docs/guide/questions.md" with { type: "text" };
import recipes from "../../../docs/guide/recipes.md" with { type: "text" };
import recovery from "../../../docs/guide/recovery.md" with { type: "text" };
import referenceCommands from "../../../docs/guide/reference/commands.md" with { type: "text" };
import referenceConsent from "../../../docs/guide/reference/consent.md" with { type: "text" };
import referenceKeys from "../../../docs/guide/reference/keys.md" with { type: "text" };
import referenceLimits from "../../../docs/guide/reference/limits.md" with { type: "text" };
import referenceOptions from "../../../docs/guide/reference/options.md" with { type: "text" };
import referenceSettings from "../../../docs/guide/reference/settings.md" with { type: "text" };
import referenceTools from "../../../docs/guide/reference/tools.md" with { type: "text" };
import replay from "../../../docs/guide/replay.md" with { type: "text" };
import rewind from "../../../docs/guide/rewind.md" with { type: "text" };
import safetyNet from "../../../docs/guide/safety-net.md" with { type: "text" };
import sandbox from "../../../docs/guide/sandbox.md" with { type: "text" };
import screenReaders from "../../../docs/guide/screen-readers.md" with { type: "text" };
import secrets from "../../../docs/guide/secrets.md" with { type: "text" };
import security from "../../../docs/guide/security.md" with { type: "text" };
import sessions from "../../../docs/guide/sessions.md" with { type: "text" };
import settings from "../../../docs/guide/settings.md" with { type: "text" };
import skills from "../../../docs/guide/skills.md" with { type: "text" };
import spending from "../../../docs/guide/spending.md" with { type: "text" };
import start from "../../../docs/guide/start.md" with { type: "text" };
import statusLine from "../../../docs/guide/status-line.md" with { type: "text" };
import telemetry from "../../../docs/guide/telemetry.md" with { type: "text" };
import terminal from "../../../docs/guide/terminal.md" with { type: "text" };
import troubleshooting from "../../../docs/guide/troubleshooting.md" with { type: "text" };
import trust from "../../../docs/guide/trust.md" with { type: "text" };
import undo from "../../../docs/guide/undo.md" with { type: "text" };
import web from "../../../docs/guide/web.md" with { type: "text" };
import worktrees from "../../../docs/guide/worktrees.md" with { type: "text" };

/** The pages of the guide, by path below `docs/guide`. */
export const GUIDE_PAGES: Readonly<Record<string, string>> = {
  "agents.md": agents,
  "auth.md": auth,
  "background-sessions.md": backgroundSessions,
  "batch.md": batch,
  "context.md": context,
  "documents.md": documents,
  "extensions.md": extensions,
  "gateways.md": gateways,
  "glossary.md": glossary,
  "headless.md": headless,
  "hooks.md": hooks,
  "instructions.md": instructions,
  "mcp.md": mcp,
  "mcp-server.md": mcpServer,
  "memory.md": memory,
  "missing.md": missing,
  "models.md": models,
  "moving.md": moving,
  "offline.md": offline,
  "permissions.md": permissions,
  "plugins.md": plugins,
  "prompt.md": prompt,
  "questions.md": questions,
  "recipes.md": recipes,
  "recovery.md": recovery,
  "reference/commands.md": referenceCommands,
  "reference/consent.md": referenceConsent,
  "reference/keys.md": referenceKeys,
  "reference/limits.md": referenceLimits,
  "reference/options.md": referenceOptions,
  "reference/settings.md": referenceSettings,
  "reference/tools.md": referenceTools,
  "replay.md": replay,
  "rewind.md": rewind,
  "safety-net.md": safetyNet,
  "sandbox.md": sandbox,
  "screen-readers.md": screenReaders,
  "secrets.md": secrets,
  "security.md": security,
  "sessions.md": sessions,
  "settings.md": settings,
  "skills.md": skills,
  "spending.md": spending,
  "start.md": start,
  "status-line.md": statusLine,
  "telemetry.md": telemetry,
  "terminal.md": terminal,
  "troubleshooting.md": troubleshooting,
  "trust.md": trust,
  "undo.md": undo,
  "web.md": web,
  "worktrees.md": worktrees,
};
