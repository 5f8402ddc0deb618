import { expect, test } from 'vitest';
import type { IssuedToken } from '../../src/audit/access/access-fold.ts';
import { makeHeldTokens } from '../../src/audit/exposure/held-tokens.ts';
import { accessSubject, activationSubject, grantSubject } from '../../src/domain/fence/fence.ts';
import { terms } from '../support/scenes/grants.ts';

const { addonId } = terms;
const subject = { kind: 'organization', organizationId: 'O1', epoch: 1 } as const;
const token = (grantId: string, rotation: number): IssuedToken => ({
  terms: { ...terms, grantId, subject },
  rotation,
  scopes: [],
  ownApi: true,
  issued: undefined as never, // nothing here looks at it
  expiresAt: 1000 + rotation,
});
const names = (held: readonly { readonly token: IssuedToken }[]) =>
  held.map(({ token: { terms: of, rotation } }) => `${of.grantId}.${rotation}`);

const manyTokens = () => {
  const held = makeHeldTokens(() => []);
  for (let rotation = 0; rotation < 200; rotation += 1)
    for (const grantId of ['G1', 'G2', 'G3']) held.add(token(grantId, rotation));
  return held;
};

test('FX-34: an event concerns the tokens that depend on its subject, however many others are held', () => {
  const held = manyTokens();
  expect(names(held.concerned([accessSubject('G2', 7)]))).toEqual(['G2.7']);
  expect(held.concerned([grantSubject('G2')])).toHaveLength(200);
  expect(held.concerned([activationSubject('O1', addonId)])).toHaveLength(600);
  expect(held.concerned([grantSubject('G4')])).toEqual([]);
  expect(
    names(held.concerned([accessSubject('G3', 1), accessSubject('G1', 2), accessSubject('G3', 1)])),
  ).toEqual(['G3.1', 'G1.2']);
});

test('FX-34: an expired token is taken once, in the order of issue, and no event concerns it any more', () => {
  const held = manyTokens();
  expect(held.nextExpiry()).toBe(1000);
  expect(names(held.takeExpired(1001))).toEqual(['G1.0', 'G2.0', 'G3.0', 'G1.1', 'G2.1', 'G3.1']);
  expect(held.takeExpired(1001)).toEqual([]);
  expect(held.nextExpiry()).toBe(1002);
  expect(held.concerned([grantSubject('G1')])).toHaveLength(198);
  expect(held.all()).toHaveLength(594);
  expect(held.takeExpired(Infinity)).toHaveLength(594);
  expect([held.nextExpiry(), held.all()]).toEqual([Infinity, []]);
});
