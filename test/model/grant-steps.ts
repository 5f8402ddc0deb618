import fc from 'fast-check';
import { expect } from 'vitest';
import type { Scope } from '../../src/domain/access/scope.ts';
import { expectInvariants } from './grant-invariants.ts';
import * as rules from './grant-model.ts';
import type { Answer, Model, ModelGrant, ModelLifetimes, Step } from './grant-model.ts';
import type { World } from './grant-world.ts';

/** fast-check hands the same object to every command; what it holds is replaced, never changed. */
export type Expectation = { model: Model; readonly lifetimes: ModelLifetimes };

export type GrantCommand = fc.AsyncCommand<Expectation, World>;

type Many = (expectation: Expectation) => readonly ((model: Model) => Step)[];

/** Runs a command in both worlds: the invariants first, then every answer and every access token as foretold. */
const command = (
  name: string,
  check: (model: Model) => boolean,
  steps: Many,
  run: (world: World, expectation: Expectation) => Promise<readonly Answer[]> | readonly Answer[],
): GrantCommand => ({
  check: ({ model }) => check(model),
  toString: () => name,
  async run(expectation, world) {
    const from = { events: world.store.all().length, successes: world.successes.length };
    const planned = steps(expectation);
    await world.clean();
    const answers = await run(world, expectation);
    await world.clean();
    const foretold: Answer[] = [];
    for (const step of planned) {
      const { model, answer } = step(expectation.model);
      expectation.model = model;
      foretold.push(answer);
    }
    await expectInvariants(world, from);
    expect(answers.toSorted(), `the answers to: ${name}`).toEqual(foretold.toSorted());
    const { model } = expectation;
    for (const [index, grant] of world.grants.entries())
      await expectAsForetold(world, model, index, grant, `grant ${index} after: ${name}`);
  },
});

/** Both observers: a list that is asked for, and introspection on one instance or the other. */
const expectAsForetold = async (
  world: World,
  model: Model,
  index: number,
  held: World['grants'][number],
  what: string,
) => {
  const grant = model.grants[index] as ModelGrant;
  const scopes = rules.working(model, grant);
  const refreshes = rules.refreshable(model, grant);
  expect(await world.working(held), `access tokens of ${what}`).toEqual(scopes);
  expect(await world.introspected(held, index), `introspection of ${what}`).toEqual(
    scopes.map((access, rotation) => ({ access, refresh: refreshes[rotation] })),
  );
};

const always = () => true;
const one = (step: (model: Model, lifetimes: ModelLifetimes) => Step): Many => {
  return ({ lifetimes }) => [(model) => step(model, lifetimes)];
};
const asList = async (answer: Promise<Answer>) => [await answer];

/** Without a grace the one of two rivals ends the family of the other, and either may be told so. */
const widthOf = (width: number, { refreshGrace }: ModelLifetimes) => (refreshGrace === 0 ? 1 : width);

/** 0 is the newest. */
const pick = (which: number, count: number) => count - 1 - (which % count);

const plain: readonly GrantCommand[] = [
  command('activate', always, one(rules.activate), (world) => asList(world.activate())),
  command(
    'deactivate',
    always,
    one((model) => rules.change(model, { active: false })),
    (world) => asList(world.deactivate()),
  ),
  ...[true, false].map((suspended) =>
    command(
      suspended ? 'suspend the add-on' : 'resume the add-on',
      always,
      one((model) => rules.change(model, { suspended })),
      (world) => asList(world.setSuspended(suspended)),
    ),
  ),
  ...[true, false, false, false].map((disabled) =>
    command(
      disabled ? 'disable the user' : 'enable the user',
      always,
      one((model) => rules.setDisabled(model, disabled)),
      (world) => asList(world.setDisabled(disabled)),
    ),
  ),
  ...[0, 1].map((turn) =>
    command('withdraw the consent', always, one(rules.withdraw), (world) => asList(world.withdraw(turn))),
  ),
  command('let the reactions run', always, one(rules.revokeFormerEpochs), (world) => asList(world.react())),
];

/** `late`: the epoch has moved on since the page was shown. */
const authorize = (own: boolean, late: boolean, turn: number): GrantCommand => {
  const hangsOn = ({ epoch, userEpoch }: Model) => ({
    own,
    epoch: Math.max(0, (own ? userEpoch : epoch) - (late ? 1 : 0)),
  });
  return command(
    `authorize for ${own ? 'the user' : 'the organization'}${late ? ' too late' : ''}`,
    always,
    one((model, lifetimes) => rules.authorize(model, hangsOn(model), lifetimes)),
    (world, { model }) => asList(world.authorize(hangsOn(model), turn)),
  );
};

const hasGrant = ({ grants }: Model) => grants.length > 0;

const exchange = (which: number, proof: rules.Proof, width: number): GrantCommand =>
  command(
    `exchange code ${which} (proof: ${proof}) ×${width}`,
    hasGrant,
    ({ model, lifetimes }) =>
      Array.from({ length: width }, () => (present: Model) => {
        return rules.exchange(present, pick(which, model.grants.length), proof, lifetimes);
      }),
    (world, { model }) => world.exchange(pick(which, model.grants.length), proof, width),
  );

type RevokePlan = {
  readonly which: number;
  readonly age: number;
  readonly kind: 'access' | 'refresh';
  readonly foreign: boolean;
  readonly width: number;
};

const revoke = ({ which, age, kind, foreign, width }: RevokePlan): GrantCommand => {
  const target = (model: Model) => {
    const among = refreshable(model, true);
    const at = among[pick(which, among.length)] ?? 0;
    const newest = (model.grants[at]?.pairs.length ?? 0) - 1;
    return { at, ask: { kind, rotation: Math.max(0, newest - age), foreign } };
  };
  return command(
    `give back ${kind} token ${age} of grant ${which}${foreign ? ' of another client' : ''} ×${width}`,
    (model) => refreshable(model, true).length > 0,
    ({ model }) => {
      const { at, ask } = target(model);
      return Array.from({ length: width }, () => (present: Model) => rules.revoke(present, at, ask));
    },
    (world, { model }) => {
      const { at, ask } = target(model);
      return world.revoke(at, ask, width);
    },
  );
};

type RefreshPlan = {
  readonly which: number;
  /** 0 is the current token, 1 its predecessor; beyond the first there is only the first. */
  readonly age: number;
  readonly scopes: readonly Scope[] | null;
  readonly foreign: boolean;
  readonly dead: boolean;
  readonly width: number;
};

/** What is dead stays so: it is asked for less often than what lives. */
const refreshable = ({ grants }: Model, dead: boolean) =>
  grants.flatMap(({ pairs, revoked }, index) => (pairs.length > 0 && (dead || !revoked) ? [index] : []));

const refresh = ({ which, age, scopes, foreign, dead, width }: RefreshPlan): GrantCommand => {
  const target = (model: Model) => {
    const among = refreshable(model, dead);
    const at = among[pick(which, among.length)] ?? 0;
    const newest = (model.grants[at]?.pairs.length ?? 0) - 1;
    return { at, ask: { rotation: Math.max(0, newest - age), scopes, foreign } };
  };
  return command(
    `refresh grant ${which} with ${['the current', 'the previous'][age] ?? 'an ancient'} token` +
      `${foreign ? ' of another client' : ''}, scope ${scopes?.join(' ') ?? 'all'} ×${width}`,
    (model) => refreshable(model, dead).length > 0,
    ({ model, lifetimes }) => {
      const { at, ask } = target(model);
      return Array.from({ length: widthOf(width, lifetimes) }, () => (present: Model) => {
        return rules.refresh(present, at, ask, lifetimes);
      });
    },
    (world, { model, lifetimes }) => {
      const { at, ask } = target(model);
      return world.refresh(at, ask, widthOf(width, lifetimes));
    },
  );
};

const pass = (milliseconds: number): GrantCommand =>
  command(
    `${milliseconds} ms pass`,
    always,
    one((model) => rules.change(model, { now: model.now + milliseconds })),
    (world) => {
      world.pass(milliseconds);
      return ['done'];
    },
  );

const beAway = (milliseconds: number): GrantCommand =>
  command(
    `nobody is answered for ${milliseconds} ms`,
    always,
    one((model) => {
      const ended = model.now + milliseconds;
      return rules.change(model, {
        now: ended,
        outages: [...model.outages, { began: model.now, ended }],
      });
    }),
    (world) => {
      world.beAway(milliseconds);
      return ['done'];
    },
  );

const moments = ['codeUntil', 'graceUntil', 'accessUntil', 'refreshUntil'] as const;

/** Goes to the moment when something of a grant ends, or to just before or after it. */
const until = (which: number, moment: (typeof moments)[number], delta: number): GrantCommand => {
  const left = (model: Model): number => {
    const codes = model.grants.map(({ codeUntil }) => codeUntil);
    const pairs = refreshable(model, false).map((at) => model.grants[at]?.pairs.at(-1));
    const ends = moment === 'codeUntil' ? codes : pairs.map((pair) => pair?.[moment] ?? 0);
    return (ends[pick(which, ends.length)] ?? 0) + delta - model.now;
  };
  return command(
    `until ${delta} ms after ${moment} of grant ${which}`,
    (model) => left(model) > 0,
    one((model) => rules.change(model, { now: model.now + left(model) })),
    (world, { model }) => {
      world.pass(left(model));
      return ['done'];
    },
  );
};

const scopesAsked: readonly (readonly Scope[] | null)[] = [
  null,
  ['openid'],
  ['access-rights:read', 'openid'],
  ['openid', 'profiles:read'],
];

const often = <T>(weight: number, frequent: fc.Arbitrary<T>, rare: fc.Arbitrary<T>) =>
  fc.oneof({ weight, arbitrary: frequent }, { weight: 1, arbitrary: rare });

const repeat = <T>(times: number, value: T): readonly T[] => Array.from({ length: times }, () => value);

/**
 * Every command; those that keep grants alive far more often than those that end them.
 * @param long waits in which a day goes by, and more, in milliseconds
 */
export const anyCommands = (
  { replayTolerance, refreshGrace }: ModelLifetimes,
  long: readonly number[] = [],
) => {
  const which = often(3, fc.constant(0), fc.nat(5));
  const width = often(3, fc.constant(1), fc.integer({ min: 2, max: 5 }));
  const scopes = fc.constantFrom(null, ...scopesAsked);
  const seldom = often(9, fc.constant(false), fc.constant(true));
  const waits = [
    10,
    replayTolerance - 1,
    replayTolerance,
    refreshGrace - 1,
    refreshGrace,
    refreshGrace + 500,
  ];
  const rightExchange = fc.tuple(which, fc.constant('right' as const), width);
  const refreshWith = (age: number) =>
    fc.record({ which, age: fc.constant(age), scopes, foreign: seldom, dead: seldom, width });
  const moment = fc.constantFrom(...moments, ...repeat(3, 'refreshUntil' as const));
  const delta = fc.constantFrom(-10_000, -10_000, -1, 0, 1);
  const giveBack = fc.record({
    which,
    age: fc.nat(2),
    kind: fc.constantFrom('access' as const, 'access' as const, 'refresh' as const),
    foreign: seldom,
    width,
  });
  const ending = [giveBack.map(revoke), ...repeat(3, fc.constantFrom(...plain))];
  return fc.commands(
    [
      ...repeat(
        2,
        fc.tuple(fc.boolean(), seldom, fc.nat(1)).map((given) => authorize(...given)),
      ),
      ...repeat(
        4,
        rightExchange.map((given) => exchange(...given)),
      ),
      fc.tuple(which, fc.constantFrom(...rules.proofs), width).map((given) => exchange(...given)),
      ...[0, 0, 0, 0, 0, 0, 1, 1, 1, 2].map((age) => refreshWith(age).map(refresh)),
      ...repeat(2, fc.constantFrom(...waits.filter((wait) => wait > 0)).map(pass)),
      ...(long.length > 0
        ? [...repeat(3, fc.constantFrom(...long).map(pass)), ...repeat(3, giveBack.map(revoke))]
        : []),
      fc.constantFrom(5_000, 60_000, 299_000, 400_000).map(beAway),
      ...repeat(
        3,
        fc.tuple(which, moment, delta).map((given) => until(...given)),
      ),
      ...repeat(2, fc.oneof(...ending)),
    ],
    { maxCommands: 150, size: 'max' },
  );
};
