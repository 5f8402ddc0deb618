import { expect, test } from 'vitest';
import { allowRemoval, operatorsDecider, type OperatorsEvent } from '../../../src/domain/people/operators.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(operatorsDecider);
const allowed = (userId: string, accountRevision: number, remaining: string): OperatorsEvent => ({
  type: 'OperatorRemovalAllowed',
  data: { userId, accountRevision, remaining, at: 1 },
});
const seen = (userId: string, accountRevision: number) => ({ userId, accountRevision });
const removing =
  (userId: string, ...others: readonly ReturnType<typeof seen>[]) =>
  (state: Parameters<typeof allowRemoval>[0]) =>
    allowRemoval(state, { ...seen(userId, 2), others, now: 1 });

test('AM-11: an operator may be removed while another one remains, of whom no removal is allowed', () => {
  given()
    .when(removing('ada', seen('ada', 2), seen('bo', 5)))
    .accepted(allowed('ada', 2, 'bo'));
  given().when(removing('ada')).refused('last-operator');
  given()
    .when(removing('ada', seen('ada', 2)))
    .refused('last-operator');
  given(allowed('bo', 5, 'ada'))
    .when(removing('ada', seen('bo', 5)))
    .refused('last-operator');
  given(allowed('bo', 5, 'ada'))
    .when(removing('ada', seen('bo', 4)))
    .refused('last-operator');
  given(allowed('bo', 5, 'ada'))
    .when(removing('ada', seen('bo', 5), seen('carol', 0)))
    .accepted(allowed('ada', 2, 'carol'));
});

test('AM-11: a permission is void once the account has another event', () => {
  given(allowed('bo', 5, 'ada'))
    .when(removing('ada', seen('bo', 6)))
    .accepted(allowed('ada', 2, 'bo'));
  expect(given(allowed('bo', 5, 'ada'), allowed('bo', 3, 'ada')).state).toEqual({ bo: 5 });
});
