import type { Acknowledged, Chain } from './acknowledged.ts';
import { importRecords } from './import-records.ts';
import { exchange, refresh, type TokenAnswer, type Tokens } from './token-requests.ts';
import { signIn } from './visitor.ts';
import type { Running, World } from './world.ts';

/** Clients at work. Each goes on until it gets no answer. */
export type Work = {
  /** From now on it is no surprise when a client gets no answer. */
  expectTheEnd(): void;
  /** Resolves when the last client has given up. */
  readonly ended: Promise<void>;
};

const visitors = 2;
/** So many grants are refreshed all the time; further ones keep the pair of their exchange. */
const refreshed = 8;

export const startWork = (world: World, running: Running, told: Acknowledged): Work => {
  const { baseUrl } = running.service;
  let isEndExpected = false;
  const client = async (name: string, work: () => Promise<void>) => {
    const why = await work().then(
      () => 'no answer',
      (error: unknown) => String(error),
    );
    if (!isEndExpected) told.surprises.push(`${name} gave up: ${why}`);
  };
  const loops: Promise<void>[] = [];
  const begin = (name: string, work: () => Promise<void>) => void loops.push(client(name, work));
  const follow = (chain: Chain) => {
    if (told.chains.push(chain) <= refreshed) begin('refresh', () => keepRefreshing(baseUrl, chain, told));
  };
  for (let index = 0; index < visitors; index += 1)
    begin('visitor', () => keepConnecting(world, baseUrl, told, follow));
  begin('administrator', () => keepChangingItsMind(world, baseUrl, told));
  begin('import', () => importRecords(world.organizationId, running.beside, told, () => isEndExpected));
  return {
    expectTheEnd: () => (isEndExpected = true),
    ended: allOf(loops),
  };
};

/** Of a list that grows meanwhile. */
const allOf = async (loops: readonly Promise<void>[]): Promise<void> => {
  for (const loop of loops) await loop;
};

const keepRefreshing = async (baseUrl: string, chain: Chain, told: Acknowledged): Promise<void> => {
  for (;;) {
    const last = chain.answered.at(-1);
    if (!last) return;
    chain.asking = true;
    const tokens = tokensOf(await refresh(baseUrl, chain.clientId, last.refreshToken), told, 'a refresh');
    if (!tokens) return;
    chain.answered.push(tokens);
    chain.asking = false;
  }
};

/** Sends one person after the other through the pages. Every third code is left lying about for a while. */
const keepConnecting = async (
  world: World,
  baseUrl: string,
  told: Acknowledged,
  follow: (chain: Chain) => void,
): Promise<void> => {
  const visitor = await signIn(baseUrl, world);
  for (let turn = 0; ; turn += 1) {
    const code = { ...(await visitor.allow(world.steady)), asked: false };
    told.codes.add(code);
    if (turn % 3 === 2) continue;
    code.asked = true;
    const tokens = tokensOf(await exchange(baseUrl, code), told, 'an exchange');
    if (!tokens) return;
    told.codes.delete(code);
    follow({ clientId: code.clientId, answered: [tokens], asking: false });
  }
};

const keepChangingItsMind = async (world: World, baseUrl: string, told: Acknowledged): Promise<void> => {
  const visitor = await signIn(baseUrl, world);
  if (await visitor.sees(world.fickle, 'Deactivate')) await visitor.press(world.fickle, 'Deactivate');
  for (;;) {
    await visitor.press(world.fickle, 'Activate');
    const tokens = tokensOf(await exchange(baseUrl, await visitor.allow(world.fickle)), told, 'an exchange');
    if (!tokens) return;
    await visitor.press(world.fickle, 'Deactivate');
    told.dead.push(tokens);
  }
};

/** Null when there was no answer. A refusal is wrong at any time: everything that is asked for here is right. */
const tokensOf = (answer: TokenAnswer, told: Acknowledged, what: string): Tokens | null => {
  if (answer.kind === 'tokens') return answer.tokens;
  if (answer.kind === 'refused')
    told.surprises.push(`${what} was refused with ${answer.status} ${answer.error}`);
  return null;
};
