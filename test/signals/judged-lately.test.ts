import { expect, test } from 'vitest';
import { makeJudgedLately } from '../../src/signals/judged-lately.ts';

const stream = { streamId: 's1', addonId: 'a1', status: 'enabled' } as const;
const token = (tokenId: string) => ({ tokenId, expiresAt: 1_000 });

test('SG-02, SG-07: what was judged holds for its token and stream until the token expires', () => {
  let now = 0;
  const lately = makeJudgedLately(() => now);
  lately.hear();
  lately.judging()(token('t1'), stream);
  expect(lately.of('t1', 's1')).toMatchObject(stream);
  expect([lately.of('t1', 's2'), lately.of('t2', 's1')]).toEqual([undefined, undefined]);
  now = 1_000;
  expect(lately.of('t1', 's1')).toBeUndefined();
});

test('SG-02, SG-07: a change of the token or of its add-on is forgotten at once, also one that is heard while the log is read', () => {
  const lately = makeJudgedLately(() => 0);
  lately.hear();
  for (const id of ['t1', 't2', 't3']) lately.judging()(token(id), stream);
  lately.judging()(token('t4'), { ...stream, addonId: 'a2' });
  const known = () => ['t1', 't2', 't3', 't4'].filter((id) => lately.of(id, 's1'));
  expect(lately.forget('t1'), 'the add-on of the token').toBe('a1');
  expect(known()).toEqual(['t2', 't3', 't4']);
  expect(lately.forget('a1')).toBe('a1');
  expect(known()).toEqual(['t4']);
  const keep = lately.judging();
  lately.forget('a2');
  keep(token('t4'), { ...stream, addonId: 'a2' });
  expect(known()).toEqual([]);
});

test('SG-07: what was read before changes are heard is not kept: a change in between would be missed', () => {
  const lately = makeJudgedLately(() => 0);
  const keep = lately.judging();
  keep(token('t1'), stream);
  lately.hear();
  keep(token('t1'), stream);
  expect(lately.of('t1', 's1')).toBeUndefined();
  lately.judging()(token('t1'), stream);
  expect(lately.of('t1', 's1')).toMatchObject(stream);
});
