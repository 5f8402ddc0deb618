import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { choiceOf } from '../../src/http/oauth/authorize/subject-candidates.ts';
import { closedInAnyCase, closeWhenInterrupted } from '../closing.ts';
import { unlimited } from '../unlimited.ts';
import type * as OurWorld from '../world.ts';

/** What the load generator has to know of a side: one add-on with a secret, active in one organization. */
export type Side = {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Sessions of a user who has approved the add-on, with every scope, as Cookie headers. */
  readonly cookies: readonly string[];
  readonly redirectUri: string;
  readonly codeVerifier: string;
  /** Of an authorization without `client_id` and `scope`. */
  readonly authorizePath: string;
  readonly scopes: readonly string[];
  /** Where the two endpoints are, if not at our addresses. */
  readonly tokenPath?: string;
  readonly introspection?: { readonly baseUrl: string; readonly path: string };
  /** Grants of a server that shows its users pages of its own: its authorizations and exchanges are not measured. */
  readonly opened?: {
    readonly plain: readonly string[];
    readonly identified: readonly string[];
    readonly accessToken: string;
  };
};

/**
 * Starts the service of a checkout that was built, with everything embedded, and says where it is. It stays until it is
 * told to end. What the checkout's own bench calls its world is used, so that it may be of another version: it works for
 * the versions whose world has the same names.
 */
const [folder = ''] = process.argv.slice(2);

/** A version refuses a setting that it does not know. */
const known = readFileSync(join(folder, '.env.example'), 'utf8');
const more = ['RATE_LIMIT_AUTHORIZE', 'RATE_LIMIT_INTROSPECT', 'ROTATIONS_PER_HOUR'];
for (const name of [...Object.keys(unlimited), ...more]) if (known.includes(name)) process.env[name] = '0';

const { startWorld, furnishOrganization, benchAddon, accessRight, redirectUri, done } = (await import(
  pathToFileURL(join(folder, 'dist/bench/world.js')).href
)) as typeof OurWorld;

closeWhenInterrupted();
const world = await startWorld({ records: 1 });
closedInAnyCase(() => world.close()); // the checkout's own code registers it with its own copy of closing.ts alone
const { commands, readModels } = world.core;
const scopes = [...benchAddon.allowedScopes, 'openid'] as typeof benchAddon.allowedScopes;
const { clientId, clientSecret } = done(
  await commands.registerAddon({ ...benchAddon, allowedScopes: scopes, confidential: true }),
);
const { organizationId, epoch } = await furnishOrganization(world.core, clientId, 'compared');
const account = { email: 'compared@example.com', password: 'a password of the bench', from: null };
const signedIn = [];
// So many that none meets the limit of a session (GR-06); one after the other, as few passwords are hashed at a time.
for (let index = 0; index < 80; index += 1) signedIn.push(done(await commands.signIn(account)));
const userId = signedIn[0]?.session.userId ?? '';
await commands.approveScopes({
  userId,
  addonId: clientId,
  subject: { kind: 'organization', organizationId, epoch },
  scopes,
  choice: choiceOf([{ key: `organization:${organizationId}` }, { key: 'user' }]),
});
for (let index = 0; index < 200; index += 1) {
  const { position } = done(
    await commands.recordAccessRight({
      organizationId,
      id: `right_${index}`,
      version: 1,
      record: accessRight,
    }),
  );
  if (position !== null && index === 199) await readModels.waitFor(position, 10_000);
}
const database = new pg.Client({ connectionString: world.servers.databaseUrl });
database.on('error', console.error);
await database.connect();
await database.query('analyze');
await database.end();

const { baseUrl, codeVerifier } = world;
const [cookieName = ''] = world.cookie.split('='); // of the checkout's version
const path = new URL(world.authorizePath, baseUrl);
path.searchParams.delete('client_id');
path.searchParams.delete('scope');
const side: Side = {
  baseUrl,
  clientId,
  clientSecret: clientSecret ?? '',
  cookies: signedIn.map(({ cookie }) => `${cookieName}=${cookie}`),
  redirectUri,
  codeVerifier,
  authorizePath: `${path.pathname}${path.search}`,
  scopes,
};
console.log(JSON.stringify(side));
