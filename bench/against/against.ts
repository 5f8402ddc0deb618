import { packageRoot } from '../../src/process/package-root.ts';
import { type Child, startProgram } from '../child.ts';
import { cpuOfChildren } from '../cpu.ts';
import { load } from '../load.ts';
import { form, refreshTokenOf } from '../refreshing.ts';
import { tell } from '../tell.ts';
import { assertClean, builtWorktree, commitOf } from './commit.ts';
import type { Side } from './side.ts';
import { type Burst, orderOf, tableOf, type Turns } from './turns.ts';

/** Grants that are refreshed in turn. */
const chains = 64;

type Step = Parameters<typeof load>[0]['step'];
type Running = Child<Side> & {
  /** Refresh tokens of the grants, without and with `openid`. */
  readonly plain: string[];
  readonly identified: string[];
  readonly codes: string[];
  /** Authorizations so far: its sessions take turns. */
  authorized: number;
  accessToken: string;
};
type Measure = {
  readonly name: string;
  readonly inFlight: number;
  /** Requests of one burst. */
  readonly amount: number;
  readonly expect: number;
  readonly step: (side: Running) => Step;
};

const basic = ({ said }: Running) =>
  `Basic ${Buffer.from(`${said.clientId}:${said.clientSecret}`).toString('base64')}`;

const authorizing = (side: Running, scopes: readonly string[]): Step => ({
  method: 'GET',
  path: `${side.said.authorizePath}&client_id=${side.said.clientId}&scope=${encodeURIComponent(scopes.join(' '))}`,
  freshHeaders: () => ({ cookie: side.said.cookies[side.authorized++ % side.said.cookies.length] ?? '' }),
  answered: (_status, _body, headers) => {
    const code = new URL(headers['location'] ?? 'https://none.example').searchParams.get('code');
    if (code) side.codes.push(code);
  },
});

const exchanging = (side: Running, into: string[]): Step => ({
  method: 'POST',
  path: '/oauth/token',
  headers: { ...form, authorization: basic(side) },
  body: () =>
    new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: side.said.redirectUri,
      code_verifier: side.said.codeVerifier,
      code: side.codes.shift() ?? '',
    }).toString(),
  answered: (_status, body) => {
    into.push(refreshTokenOf(body));
    side.accessToken = (JSON.parse(body) as { access_token: string }).access_token;
  },
});

const refreshing = (side: Running, tokens: string[]): Step => ({
  method: 'POST',
  path: '/oauth/token',
  headers: { ...form, authorization: basic(side) },
  body: () => `grant_type=refresh_token&refresh_token=${tokens.shift() ?? ''}`,
  answered: (status, body) => {
    if (status === 200) tokens.push(refreshTokenOf(body));
  },
});

const measures: readonly Measure[] = [
  ...[16, 64].map((inFlight) => ({
    name: `refresh, ${inFlight} in flight`,
    inFlight,
    amount: 1_200,
    expect: 200,
    step: (side: Running) => refreshing(side, side.plain),
  })),
  {
    name: 'refresh with id_token, 64',
    inFlight: 64,
    amount: 800,
    expect: 200,
    step: (side) => refreshing(side, side.identified),
  },
  {
    name: 'introspection, 64',
    inFlight: 64,
    amount: 8_000,
    expect: 200,
    step: (side) => ({
      method: 'POST',
      path: '/oauth/introspect',
      headers: { ...form, authorization: basic(side) },
      body: () => `token=${side.accessToken}`,
    }),
  },
  {
    name: 'list page, 16',
    inFlight: 16,
    amount: 4_000,
    expect: 200,
    step: (side) => ({
      method: 'GET',
      path: '/access-rights',
      headers: { authorization: `Bearer ${side.accessToken}` },
    }),
  },
  {
    name: 'authorization without a page, 16',
    inFlight: 16,
    amount: 400,
    expect: 303,
    step: (side) => authorizing(side, withoutOpenid(side)),
  },
  {
    name: 'exchange, 16',
    inFlight: 16,
    amount: 400, // the codes of the authorizations just before
    expect: 200,
    step: (side) => exchanging(side, []),
  },
];

const withoutOpenid = ({ said }: Running) => said.scopes.filter((scope) => scope !== 'openid');

const burst = async (side: Running, { inFlight, expect, step }: Measure, amount: number): Promise<Burst> => {
  const before = cpuOfChildren(side.pid);
  const { perSecond } = await load({
    baseUrl: side.said.baseUrl,
    inFlight,
    amount,
    expect,
    step: step(side),
  });
  return { cpu: ((cpuOfChildren(side.pid) - before) / amount) * 1_000, perSecond };
};

/** The service of a built checkout, with its grants, warm. */
const startSide = async (folder: string): Promise<Running> => {
  const child = await startProgram<Side>(process.env, 'against/side', folder);
  const side: Running = { ...child, plain: [], identified: [], codes: [], authorized: 0, accessToken: '' };
  const { baseUrl } = child.said;
  const open = async (scopes: readonly string[], into: string[]) => {
    await load({ baseUrl, inFlight: 8, amount: chains, expect: 303, step: authorizing(side, scopes) });
    await load({ baseUrl, inFlight: 8, amount: chains, expect: 200, step: exchanging(side, into) });
  };
  await open(child.said.scopes, side.identified);
  await open(withoutOpenid(side), side.plain);
  for (const measure of measures) await burst(side, measure, Math.ceil(measure.amount / 2));
  return side;
};

/**
 * This version and others at the same time, each with everything embedded, in bursts that take turns; prints the CPU of all
 * processes of a server for each operation, and the ratios.
 * @param commits by any name that git knows
 * @param rounds in each of them every side has a burst of each measure
 * @throws {NotComparable} for a commit that is unknown, or changes that are in none
 */
export const compareWith = async (
  commits: readonly string[],
  { rounds, share }: { readonly rounds: number; readonly share: number },
): Promise<void> => {
  assertClean(packageRoot);
  const ids = commits.map((name) => commitOf(packageRoot, name));
  const folders = [packageRoot, ...ids.map((id) => builtWorktree(packageRoot, id))];
  const sides: Running[] = [];
  for (const folder of folders) {
    tell(`starting ${folder}`);
    sides.push(await startSide(folder));
  }
  const turns = measures.map((measure) => ({ measure, bursts: sides.map((): Burst[] => []) }));
  for (let round = 0; round < rounds; round += 1) {
    tell(`round ${round + 1} of ${rounds}`);
    for (const { measure, bursts } of turns)
      for (const index of orderOf(round, sides.length)) {
        const side = sides[index];
        if (side) bursts[index]?.push(await burst(side, measure, Math.ceil(measure.amount * share)));
      }
  }
  const table: readonly Turns[] = turns.map(({ measure, bursts }) => ({
    measure: measure.name,
    sides: bursts,
  }));
  console.log(tableOf(['this version', ...ids.map((id) => id.slice(0, 8))], table));
};
