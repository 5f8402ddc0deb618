import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startProgram } from '../child.ts';
import { cpuOfChildren } from '../cpu.ts';
import { load, type Step } from '../load.ts';
import { tell } from '../tell.ts';
import { authorizing, exchanging, form, refreshing } from '../token-steps.ts';
import type { Side } from './side.ts';
import { type Burst, orderOf, type Turns } from './turns.ts';

/** Grants that are refreshed in turn. */
export const chains = 64;

/** A server that is measured, with what its bursts use up and leave. */
export type Running = Child<Side> & {
  /** Refresh tokens of the grants, without and with `openid`. */
  readonly plain: string[];
  readonly identified: string[];
  readonly codes: string[];
  readonly cookies: string[];
  accessToken: string;
};

export type Measure = {
  readonly name: string;
  readonly inFlight: number;
  /** Requests of one burst. */
  readonly amount: number;
  readonly expect: number;
  /** Null where a side does not have it. */
  readonly step: (side: Running) => (Step & { readonly baseUrl?: string }) | null;
};

/** What requests leave to be done after their answers, such as projections, is part of their cost. In milliseconds. */
const leftToDo = (share: number): number => Math.min(500, 2_000 * share);

const basic = ({ said }: Running) =>
  `Basic ${Buffer.from(`${said.clientId}:${said.clientSecret}`).toString('base64')}`;

const withoutOpenid = ({ said }: Running) => said.scopes.filter((scope) => scope !== 'openid');

const authorize = (side: Running, scopes: readonly string[]): Step => {
  const { authorizePath, clientId } = side.said;
  const path = `${authorizePath}&client_id=${clientId}&scope=${encodeURIComponent(scopes.join(' '))}`;
  return authorizing(path, side.cookies, side.codes);
};

const exchange = (side: Running, into: string[]): Step =>
  exchanging({ ...side.said, authorization: basic(side) }, side.codes, (tokens) => {
    into.push(tokens.refresh_token);
    side.accessToken = tokens.access_token;
  });

const refresh = (side: Running, tokens: string[]): Step =>
  refreshing({ ...side.said, authorization: basic(side) }, tokens);

/** What every authorization server does. */
export const measures: readonly Measure[] = [
  ...[16, 64].map((inFlight) => ({
    name: `refresh, ${inFlight} in flight`,
    inFlight,
    amount: 1_200,
    expect: 200,
    step: (side: Running) => refresh(side, side.plain),
  })),
  {
    name: 'refresh with id_token, 64',
    inFlight: 64,
    amount: 800,
    expect: 200,
    step: (side) => refresh(side, side.identified),
  },
  {
    name: 'introspection, 64',
    inFlight: 64,
    amount: 8_000,
    expect: 200,
    step: (side) => ({
      method: 'POST',
      path: '/oauth/introspect',
      ...side.said.introspection,
      headers: { ...form, authorization: basic(side) },
      body: () => `token=${side.accessToken}`,
    }),
  },
  {
    name: 'authorization without a page, 16',
    inFlight: 16,
    amount: 400,
    expect: 303,
    step: (side) => (side.said.opened ? null : authorize(side, withoutOpenid(side))),
  },
  {
    name: 'exchange, 16',
    inFlight: 16,
    amount: 400, // the codes of the authorizations just before
    expect: 200,
    step: (side) => (side.said.opened ? null : exchange(side, [])),
  },
];

export const listPage: Measure = {
  name: 'list page, 16',
  inFlight: 16,
  amount: 4_000,
  expect: 200,
  step: (side) => ({
    method: 'GET',
    path: '/access-rights',
    headers: { authorization: `Bearer ${side.accessToken}` },
  }),
};

const burst = async (side: Running, measure: Measure, share: number): Promise<readonly Burst[]> => {
  const { inFlight, expect } = measure;
  const step = measure.step(side);
  if (!step) return [];
  const amount = Math.max(inFlight, Math.ceil(measure.amount * share));
  const before = cpuOfChildren(side.pid);
  const { perSecond } = await load({
    baseUrl: step.baseUrl ?? side.said.baseUrl,
    inFlight,
    amount,
    expect,
    step,
  });
  await delay(leftToDo(share));
  return [{ cpu: ((cpuOfChildren(side.pid) - before) / amount) * 1_000, perSecond }];
};

/**
 * A program of `bench` that starts a server and says where it is, with its grants, warm.
 * @param warmUp the share of each measure's burst with which it is made warm
 * @throws if it does not start
 */
export const startSide = async (
  [program, ...args]: readonly [string, ...string[]],
  measured: readonly Measure[],
  warmUp = 0.5,
): Promise<Running> => {
  const child = await startProgram<Side>(process.env, program, ...args);
  const { said } = child;
  const side: Running = {
    ...child,
    plain: [...(said.opened?.plain ?? [])],
    identified: [...(said.opened?.identified ?? [])],
    codes: [],
    cookies: [...said.cookies],
    accessToken: said.opened?.accessToken ?? '',
  };
  const open = async (scopes: readonly string[], into: string[]) => {
    const few = { baseUrl: said.baseUrl, inFlight: 8, amount: chains };
    await load({ ...few, expect: 303, step: authorize(side, scopes) });
    await load({ ...few, expect: 200, step: exchange(side, into) });
  };
  try {
    if (!said.opened) {
      await open(said.scopes, side.identified);
      await open(withoutOpenid(side), side.plain);
    }
    for (const measure of measured) await burst(side, measure, warmUp);
    return side;
  } catch (error) {
    await child.stop();
    throw error;
  }
};

/** Bursts of every measure, in which the sides take turns: in each round every side has one. */
export const measureInTurns = async (
  sides: readonly Running[],
  measured: readonly Measure[],
  { rounds, share }: { readonly rounds: number; readonly share: number },
): Promise<readonly Turns[]> => {
  const turns = measured.map((measure) => ({ measure, bursts: sides.map((): Burst[] => []) }));
  for (let round = 0; round < rounds; round += 1) {
    tell(`round ${round + 1} of ${rounds}`);
    for (const { measure, bursts } of turns)
      for (const index of orderOf(round, sides.length)) {
        const side = sides[index];
        if (side) bursts[index]?.push(...(await burst(side, measure, share)));
      }
  }
  return turns.map(({ measure, bursts }) => ({ measure: measure.name, sides: bursts }));
};
