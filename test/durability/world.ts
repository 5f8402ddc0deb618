import { startCallbackServer } from '../../demo/callback-server.ts';
import { connectFrom } from '../../src/cli/base/connect.ts';
import type { CliService } from '../../src/cli/base/service.ts';
import type { AllowedScope } from '../../src/domain/access/scope.ts';
import { startService, type RunningService } from '../lifecycle/service.ts';
import { newDataDir } from '../lifecycle/processes.ts';

/** Who plays in the rounds. `steady` stays active; `fickle` is activated and deactivated all the time. */
export type Cast = {
  readonly organizationId: string;
  readonly email: string;
  readonly password: string;
  readonly steady: string;
  readonly fickle: string;
  readonly redirectUri: string;
};

/** What stays the same however often the service is killed. */
export type World = Cast & { readonly dataDir: string; close(): Promise<void> };

/** The built service in processes of its own, and the commands next to it, as the command line has them. */
export type Running = { readonly service: RunningService; readonly beside: CliService };

/** Lifetimes so long that no round depends on how fast this machine is. */
const settings = {
  CODE_TTL: '600',
  REFRESH_GRACE: '600',
  RATE_LIMIT_ACTIVATION: '0',
  RATE_LIMIT_ADDON: '0',
  RATE_LIMIT_TOKEN: '0',
  RATE_LIMIT_SIGN_IN: '0',
};

export const startOn = async (dataDir: string): Promise<Running> => {
  const service = await startService({ ...settings, LOG_LEVEL: 'warn', DATA_DIR: dataDir });
  // What this side says while the service dies is not a test's output.
  const env = { ...settings, LOG_LEVEL: 'silent', DATA_DIR: dataDir };
  return { service, beside: await connectFrom({ env, stderr: process.stderr }).openService('nobody') };
};

export const makeWorld = async (): Promise<{ readonly world: World; readonly running: Running }> => {
  const dataDir = newDataDir();
  const running = await startOn(dataDir);
  const callback = await startCallbackServer();
  const cast = await makeCast(running.beside, callback.redirectUri);
  return { world: { ...cast, dataDir, close: () => callback.close() }, running };
};

const allowedScopes: readonly AllowedScope[] = ['profiles:read', 'access-rights:read'];

const makeCast = async ({ commands }: CliService, redirectUri: string): Promise<Cast> => {
  const { organizationId } = valueOf(await commands.createOrganization({ name: 'Harbour House' }));
  const person = { email: 'bo@example.com', password: 'correct horse battery staple' };
  const roles = { name: 'Bo', administratorOf: [organizationId], roles: [] };
  valueOf(await commands.createUser({ ...person, ...roles }));
  const addon = { redirectUris: [redirectUri], configurationUrl: redirectUri, allowedScopes };
  const register = async (name: string) =>
    valueOf(await commands.registerAddon({ ...addon, name, confidential: false })).clientId;
  const [steady, fickle] = [await register('Steady'), await register('Fickle')];
  const by = { by: 'break-glass', sessionId: null };
  valueOf(await commands.activateAddon({ organizationId, addonId: steady, ...by }));
  return { organizationId, ...person, steady, fickle, redirectUri };
};

const valueOf = <T>(outcome: { readonly ok: true; readonly value: T } | { readonly ok: false }): T => {
  if (outcome.ok) return outcome.value;
  throw new Error(`refused: ${JSON.stringify(outcome)}`);
};
