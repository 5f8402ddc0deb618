import { packageVersion } from '../../process/package-root.ts';
import type { CliIo } from '../base/cli-io.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import { NotReached } from '../base/not-reached.ts';
import { presented, refusedToken, requireRole, type WhoMay } from '../sign-in/actor.ts';
import { tokenFileOf } from '../sign-in/token-file.ts';
import { type Api, type Refused, RefusedByService } from '../base/api.ts';
import { makeApi } from './network.ts';
import type { Server } from './server.ts';

/** Whose token it is, as the service says. */
export type Me = {
  readonly user_id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly expires_at: string | null;
};

export type Connection = { readonly api: Api; readonly me: Me };

export type RemoteIo = Pick<CliIo, 'env' | 'stderr' | 'signal'> & { readonly server: Server };

/** Where the token for a service is kept; null without a home. */
export const tokenFileFor = ({ env, server }: Pick<RemoteIo, 'env' | 'server'>): string | null =>
  tokenFileOf(env, { server: server.url });

/** The service with the token of the run, of GRANTBOOK_TOKEN or of the sign-in. @param who who is a member, the API alone knows @throws NotAllowed, NotReached */
export const connect = async (io: RemoteIo, who: WhoMay | 'member'): Promise<Connection> => {
  const given = await presented(io.env, tokenFileFor(io));
  const { server, signal } = io;
  if (given.token === null)
    throw new NotAllowed(
      'not-signed-in',
      `nobody is signed in at ${server.url}: grantbook login --server ${server.url}`,
    );
  const api = makeApi({ server, token: given.token, signal });
  const me = await whoAmI(io, api).catch((error: unknown) => {
    if (!(error instanceof NotAllowed) || !isTokenRefusal(error.code)) throw error;
    throw refusedToken(error.code, given);
  });
  if (who !== 'member') requireRole(me.roles, who, given.source);
  return { api, me };
};

type TokenRefusal = Parameters<typeof refusedToken>[0];
const isTokenRefusal = (code: string): code is TokenRefusal =>
  ['token-unknown', 'token-expired', 'token-revoked', 'token-for-one-organization'].includes(code);

/** In milliseconds: a service that is there answers the first request at once. */
const patience = 15_000;

/** Asks the service who is calling, and what version it has. @throws NotReached for a version that does other things by the same names */
export const whoAmI = async (
  { stderr, server }: Pick<RemoteIo, 'stderr' | 'server'>,
  api: Api,
): Promise<Me> => {
  const answered = await api.ask('GET', '/operator/api/token', { patience });
  if (!answered.ok) throw failureOf(server, answered);
  const { version: itsOwn, ...me } = answered.json as Me & { readonly version: unknown };
  const version = typeof itsOwn === 'string' && /^[\w.+-]{1,40}$/.test(itsOwn) ? itsOwn : 'unknown';
  if (majorOf(version) !== majorOf(packageVersion))
    throw new NotReached(
      'GRANTBOOK_SERVER',
      `${server.url} has version ${version}, and this command line ${packageVersion}: install version ${majorOf(version)} of it`,
    );
  if (version !== packageVersion)
    stderr.write(
      `Warning: the service has version ${version}, and this command line ${packageVersion}: use the same, as what one of them does not know is refused\n`,
    );
  return me;
};

const majorOf = (version: string): string => version.split('.')[0] ?? '';

/** Of an answer to the first request, which every Grantbook knows. */
const failureOf = ({ url }: Server, refused: Refused): Error => {
  if (refused.kind === 'administrator-token-for-another-organization')
    return new NotAllowed('token-for-one-organization', refused.message);
  if (refused.status === 404 || refused.status === 405)
    return new NotReached(
      'GRANTBOOK_SERVER',
      `${url} does not know this command line (404): it is no Grantbook`,
    );
  return new RefusedByService(refused);
};
