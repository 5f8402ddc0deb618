import { expect, test } from 'vitest';
import { earlierLogOf, verifyEarlier } from '../../src/audit/log-copies/earlier-heads.ts';
import { signCopy, verifyCopy, type LogCopy } from '../../src/audit/log-copies/log-copy.ts';
import type { LogHead } from '../../src/audit/log-heads/read-heads.ts';
import { signHead } from '../../src/audit/log-heads/sign-head.ts';
import { logHeadStream, sessionStream } from '../../src/domain/streams.ts';
import { positionOf } from '../support/log/test-projector.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { newKey, signerOf } from './exports.ts';
import { memoryTiles } from './log-tiles/memory-tiles.ts';

const key = await newKey();
const sign = signerOf(key);

/** A log with a head over each of its events, and the copy of it that names this one of them. */
const copied = async (named: number) => {
  const store = memoryStore();
  const { source, save } = memoryTiles();
  for (let n = 0; n < 3; n += 1) {
    await store.append(sessionStream(`S${n}`), 'no-stream', [
      { event: { type: 'SessionEnded', data: { at: n } } },
    ]);
    await signHead({ store, sign, now: () => n, tiles: source, save }, new AbortController().signal);
  }
  const heads = (await store.read(logHeadStream)).events.map(({ event, revision }) => ({
    ...(event.data as LogHead),
    revision,
  }));
  const chosen = heads.at(named);
  if (!chosen) throw new Error('there is such a head');
  const { revision: _, ...head } = chosen;
  const about = { events: 6, streams: 4, streamsLeftOut: 0, head, at: 1 };
  const copy: LogCopy = { ...(await signCopy(sign, about)), position: positionOf(7) };
  return { copy, heads };
};

test('HI-03: of a log that was copied, the heads go on from each other up to the one that the copy names', async () => {
  const earlier = await copied(-1);
  await expect(verifyEarlier(earlier, key.jwks)).resolves.toBeUndefined();
  const without = (at: number) => ({ ...earlier, heads: earlier.heads.toSpliced(at, 1) });
  await expect(verifyEarlier(without(0), key.jwks)).rejects.toThrow('does not continue the one before it');
  await expect(verifyEarlier(without(2), key.jwks)).rejects.toThrow('names another head');
  await expect(verifyEarlier({ ...earlier, heads: [] }, key.jwks)).rejects.toThrow('names another head');
  await expect(verifyEarlier(await copied(1), key.jwks)).rejects.toThrow('names another head');
});

test('HI-03: a copy that says something else than was signed is refused', async () => {
  const { copy } = await copied(-1);
  expect(await verifyCopy(copy, key.jwks)).toEqual({ trusted: true });
  expect(await verifyCopy(copy, null)).toEqual({ trusted: false });
  await expect(verifyCopy({ ...copy, events: 5 }, key.jwks)).rejects.toThrow('says something else');
});

test('the log that a head is over is found among the earlier ones by size and root', async () => {
  const earlier = await copied(-1);
  const [first, second] = earlier.heads;
  const { size = 0, root = '' } = first ?? {};
  const all = { own: [], earlier: [earlier] };
  expect(earlierLogOf(all, { size, root })).toBe(earlier);
  expect(earlierLogOf(all, { size, root: second?.root ?? '' })).toBeNull();
  expect(earlierLogOf(all, { size: size + 1, root })).toBeNull();
});
