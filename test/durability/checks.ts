import { fold } from '../../src/domain/kernel/decision.ts';
import { grantDecider, type Grant, type GrantEvent } from '../../src/domain/access/grant.ts';
import { grantStream, profileStream } from '../../src/domain/streams.ts';
import { verifyCredential } from '../../src/commands/credentials/credentials.ts';
import { forEachConcurrent } from '../../src/commands/kernel/for-each-concurrent.ts';
import { parseTokenKeys, type TokenKeys } from '../../src/commands/credentials/token-keys.ts';
import { readKeysFile } from '../../src/embedded/keys-file.ts';
import type { Acknowledged, Chain, HeldCode } from './acknowledged.ts';
import { exchange, listStatus, refresh, type TokenAnswer, type Tokens } from './token-requests.ts';
import type { Running, World } from './world.ts';

/** What is wrong after a restart, in sentences; nothing when all is well. */
export const findLosses = async (
  world: World,
  { service: { baseUrl }, beside }: Running,
  told: Acknowledged,
): Promise<readonly string[]> => {
  const keys = parseTokenKeys(await readKeysFile(world.dataDir, 'token-keys'));
  const read = async (refreshToken: string) => readGrant(beside, keys, refreshToken);
  const losses = await Promise.all([
    ...told.chains.map((chain) => lossesOfChain(baseUrl, chain, read)),
    ...[...told.codes].map((code) => lossesOfCode(baseUrl, code)),
    ...told.dead.map((tokens) => livesAgain(baseUrl, world.fickle, tokens)),
    lostRecords(world, { baseUrl, beside }, told),
  ]);
  return [...told.surprises, ...losses.flat()];
};

type ReadGrant = (refreshToken: string) => Promise<Grant>;

const readGrant = async (
  { store }: Running['beside'],
  keys: TokenKeys,
  refreshToken: string,
): Promise<Grant> => {
  const grantId = verifyCredential(keys, 'refresh', refreshToken)?.grantId ?? '';
  const { events } = await store.read(grantStream(grantId));
  return fold(
    grantDecider,
    events.map(({ event }) => event as GrantEvent),
  );
};

/**
 * The log holds every rotation that was answered, and at most the one more that was asked for and not answered. Then the
 * last answered pair goes on as if nothing had happened: it is rotated, or answered with the successor that is there (RT-04).
 */
const lossesOfChain = async (baseUrl: string, chain: Chain, read: ReadGrant): Promise<readonly string[]> => {
  const { clientId, answered, asking } = chain;
  const last = answered.at(-1);
  if (!last) return ['a chain without tokens'];
  const grant = await read(last.refreshToken);
  if (grant.status !== 'live') return [`a grant with answered tokens is ${grant.status}`];
  const known = answered.length - 1;
  const { rotation } = grant.current;
  if (rotation !== known && !(asking && rotation === known + 1))
    return [`rotation ${known} was answered last (asking: ${asking}), the log is at ${rotation}`];
  const losses: string[] = [];
  if ((await listStatus(baseUrl, last)) !== 200) losses.push('an answered access token is refused');
  const before = answered.at(-2);
  if (before && rotation === known) {
    const repeated = await refresh(baseUrl, clientId, before.refreshToken);
    if (tokensOf(repeated)?.refreshToken !== last.refreshToken)
      losses.push(`the predecessor inside the grace is answered with ${shown(repeated)} (RT-04)`);
  }
  losses.push(...(await lossesOfNext(baseUrl, chain, last, known, read)));
  return losses;
};

const lossesOfNext = async (
  baseUrl: string,
  { clientId, answered }: Chain,
  last: Tokens,
  known: number,
  read: ReadGrant,
): Promise<readonly string[]> => {
  const next = await refresh(baseUrl, clientId, last.refreshToken);
  const tokens = tokensOf(next);
  if (!tokens) return [`the last answered refresh token is answered with ${shown(next)}`];
  const grant = await read(tokens.refreshToken);
  if (grant.status !== 'live' || grant.current.rotation !== known + 1)
    return [`after one more answer the log does not hold rotation ${known + 1}`];
  answered.push(tokens);
  return (await listStatus(baseUrl, tokens)) === 200 ? [] : ['a new access token is refused'];
};

/** A code that was never presented works; one whose exchange was not answered works, or was redeemed for nobody. */
const lossesOfCode = async (baseUrl: string, code: HeldCode): Promise<readonly string[]> => {
  const answer = await exchange(baseUrl, code);
  if (answer.kind === 'tokens') return [];
  const wasRedeemed = code.asked && answer.kind === 'refused' && answer.error === 'invalid_grant';
  return wasRedeemed ? [] : [`a code (presented before: ${code.asked}) is answered with ${shown(answer)}`];
};

const livesAgain = async (baseUrl: string, clientId: string, tokens: Tokens): Promise<readonly string[]> => {
  const [status, answer] = [
    await listStatus(baseUrl, tokens),
    await refresh(baseUrl, clientId, tokens.refreshToken),
  ];
  const isRefused = answer.kind === 'refused' && answer.error === 'invalid_grant';
  return status === 401 && isRefused
    ? []
    : [`tokens that were deactivated: the list answers ${status}, the refresh ${shown(answer)}`];
};

const lostRecords = async (
  { organizationId }: World,
  { baseUrl, beside }: { readonly baseUrl: string; readonly beside: Running['beside'] },
  told: Acknowledged,
): Promise<readonly string[]> => {
  const head = await beside.store.head();
  if (head !== null) await beside.settle(head);
  const listed = await listedVersions(baseUrl, told.chains.at(-1)?.answered.at(-1));
  const losses: string[] = [];
  // Some at a time: a machine that is busy would leave the last of a thousand reads without an answer for too long.
  const judge = async ([id, version]: readonly [string, number]) => {
    const { events } = await beside.store.read(profileStream(organizationId, id));
    const isStored = events.some(({ event }) => 'version' in event.data && event.data.version === version);
    const isListed = (listed.get(id) ?? 0) >= version;
    if (!isStored || !isListed)
      losses.push(`version ${version} of ${id}: in the log ${isStored}, listed ${listed.get(id) ?? 'not'}`);
  };
  await forEachConcurrent(inPages([...told.records]), judge, new AbortController().signal);
  return losses;
};

async function* inPages<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield await Promise.resolve(items);
}

type Page = {
  readonly items: readonly { readonly id: string; readonly version: number }[];
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
};

/** As an add-on reads them: page by page, along the `next` links. */
const listedVersions = async (
  baseUrl: string,
  tokens: Tokens | undefined,
): Promise<ReadonlyMap<string, number>> => {
  const versions = new Map<string, number>();
  let next: string | undefined = `${baseUrl}/profiles?per_page=100`;
  while (next !== undefined) {
    const answer = await fetch(next, { headers: { authorization: `Bearer ${tokens?.accessToken}` } });
    if (!answer.ok) throw new Error(`the list of profiles answers ${answer.status}`);
    const page = (await answer.json()) as Page;
    for (const { id, version } of page.items) versions.set(id, version);
    next = page._links.find(({ rel }) => rel === 'next')?.href;
  }
  return versions;
};

const tokensOf = (answer: TokenAnswer): Tokens | null => (answer.kind === 'tokens' ? answer.tokens : null);

const shown = (answer: TokenAnswer): string =>
  answer.kind === 'refused' ? `${answer.status} ${answer.error}` : answer.kind;
