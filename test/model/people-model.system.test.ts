import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRelease } from '../support/tiers.ts';
import { foretell, type Step } from './people-model.ts';
import { openPeople } from './people-world.ts';

/*
 * Broken on purpose, one at a time, each of these was found: a removed administrator who stays where another one is
 * disabled; an operator who is erased although nobody else is one; an external id that is not released; an identity that
 * is not released; grants with a removed scope that go on.
 */

const numRuns = Number(process.env['GRANTBOOK_MODEL_RUNS'] ?? (isRelease ? 400 : 150));

const o = fc.nat(1);
const u = fc.nat(2);
const force = fc.constantFrom(false, false, false, true);
const role = fc.constantFrom('operator' as const, 'auditor' as const);
const scopes = fc.constantFrom(
  ['profiles:read'],
  ['reservations:read'],
  ['profiles:read', 'reservations:read'],
);
const often = fc.oneof(
  fc.record({ do: fc.constant('rename-organization'), o, name: fc.constantFrom('Mill', 'Harbour') }),
  fc.record({ do: fc.constant('set-external-id'), o, id: fc.constantFrom('x', 'y', 'z') }),
  fc.record({ do: fc.constant('add-administrator'), o, u }),
  fc.record({ do: fc.constant('remove-administrator'), o, u, force }),
  fc.record({ do: fc.constant('rename-user'), u, name: fc.constantFrom('Ada', 'Bo') }),
  fc.record({ do: fc.constant('set-email'), u, email: fc.constantFrom('a@a.example', 'b@b.example') }),
  fc.record({ do: fc.constant('grant-role'), u, role }),
  fc.record({ do: fc.constant('remove-role'), u, role, force }),
  fc.record({ do: fc.constant('link'), u, subject: fc.constantFrom('s', 't') }),
  fc.record({ do: fc.constant('unlink'), u }),
  fc.record({ do: fc.constant('disable'), u, force }),
  fc.record({ do: fc.constant('enable'), u }),
  fc.record({ do: fc.constant('update-addon'), name: fc.constantFrom('Door', 'Gate'), scopes }),
  fc.record({ do: fc.constant('apply-to-grants') }),
  fc.record({ do: fc.constantFrom('activate', 'approve'), o }),
  fc.record({ do: fc.constant('revoke-grant'), g: fc.nat(9) }),
);
/** Much of the rest is refused after these. */
const seldom = fc.oneof(
  fc.record({ do: fc.constantFrom('close', 'deactivate'), o }),
  fc.record({ do: fc.constantFrom('suspend', 'resume', 'resume', 'retire') }),
  fc.record({ do: fc.constant('erase'), u, force }),
);
const steps = fc.oneof(
  { weight: 9, arbitrary: often },
  { weight: 1, arbitrary: seldom },
) as fc.Arbitrary<Step>;

test(`AM-10, AM-11, AM-12, AM-13: what operators do, as a model foretells it (${numRuns} sequences)`, async () => {
  const done = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 30, maxLength: 80, size: 'max' }), async (sequence) => {
      const { model, perform, shown } = await openPeople();
      for (const step of sequence) {
        const foretold = foretell(model, step);
        if (foretold === 'skipped') continue;
        expect([step, await perform(step)]).toEqual([step, foretold]);
        expect(await shown()).toEqual(model);
        done.set(step.do, (done.get(step.do) ?? 0) + (foretold === 'ok' ? 1 : 0));
      }
    }),
    { numRuns },
  );
  // Each was done, not only refused.
  expect([...done].filter(([, times]) => times === 0)).toEqual([]);
  expect(done.size).toBe(23);
});
