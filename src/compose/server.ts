import type { FastifyInstance } from 'fastify';
import { account } from '../http/account/plugin.ts';
import { admin } from '../http/admin/plugin.ts';
import { audit } from '../http/audit/plugin.ts';
import { makeBrowser } from '../http/base/browser.ts';
import { commandLine } from '../http/command-line/plugin.ts';
import { docs } from '../http/docs/plugin.ts';
import { federation } from '../http/federation/plugin.ts';
import { liveness, readiness } from '../http/health/health.ts';
import { lists } from '../http/lists/lists.ts';
import { metrics } from '../http/metrics/metrics.ts';
import { authorize } from '../http/oauth/authorize/plugin.ts';
import { discovery, logout, userInfo } from '../http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../http/oauth/token/plugin.ts';
import { operator } from '../http/operator/plugin.ts';
import { stylesheets } from '../http/pages/register-stylesheet.ts';
import { passkeys } from '../http/passkeys/plugin.ts';
import { buildServer } from '../http/server.ts';
import { publisher } from '../http/publisher/plugin.ts';
import { session } from '../http/session/plugin.ts';
import { signals } from '../http/signals/plugin.ts';

/** Each takes what it uses of what is composed. */
const plugins = [
  account,
  admin,
  audit,
  authorize,
  commandLine,
  discovery,
  docs,
  federation,
  lists,
  liveness,
  logout,
  operator,
  passkeys,
  publisher,
  session,
  signals,
  stylesheets,
  tokenEndpoints,
  userInfo,
];

type Taken<Plugin> = [Plugin] extends [(dependencies: infer All) => unknown] ? All : never;

/** What the composition root makes for HTTP. No plugin sees it as a whole. */
export type HttpParts = Omit<
  Taken<(typeof plugins)[number] | typeof readiness | typeof metrics>,
  'browser' | 'counted'
> &
  Parameters<typeof makeBrowser>[0] &
  Parameters<typeof buildServer>[0];

/** The HTTP side, ready to `listen` or `inject`. @param management if given, only this server answers readiness and metrics */
export const composeServer = (
  parts: HttpParts,
  management: FastifyInstance | null = null,
): FastifyInstance => {
  const browser = makeBrowser(parts);
  const all = { ...parts, browser };
  const made = plugins.map((plugin) => plugin(all));
  const { app, counted } = buildServer(parts, browser, made);
  if (management) void management.register(liveness(parts));
  for (const plugin of [readiness(parts), metrics({ ...parts, counted })])
    void (management ?? app).register(plugin);
  return app;
};
