import { eventIdOf } from '../../src/common/event-id.ts';
import { expect, onTestFinished, test } from 'vitest';
import { makePairs } from '../attack/processes/pair.ts';
import {
  activateFirst,
  closeLedger,
  type IssuingCall,
  playSideBySide,
} from '../attack/processes/run-attack.ts';
import { openStage, type Stage } from '../attack/processes/stage.ts';
import { plain } from '../attack/processes/variants/plain.ts';
import { seededRandom } from '../durability/random.ts';
import { expectRebuilt } from '../durability/rebuild.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { seed } from '../support/seed.ts';
import { leaderGone } from './leader-gone.ts';
import { leaderOfBoth } from './roles.ts';
import { startTestServers } from '../support/test-servers.ts';
import { serverKilled } from '../support/trouble/server-killed.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';

allowTrouble(...serverKilled);

const say = (line: string): void => void process.stderr.write(`${line}\n`);

test('DE-04: when the leader stands still, and when it is killed, the other instance goes on, and nothing is applied twice', async () => {
  const { node, database } = await startTestServers(onTestFinished, freshDatabase);
  const databaseUrl = database.url;
  const stage = await openStage({ node, databaseUrl });
  onTestFinished(() => stage.close());
  await leaderOfBoth(stage); // it may restart an instance, which nobody may be using then
  const pairs = await makePairs(stage, 4);
  await Promise.all(pairs.map((pair) => activateFirst(stage, pair)));

  const issuing: IssuingCall[] = [];
  const random = seededRandom(seed);
  for (const variant of [leaderGone('SIGSTOP', say), leaderGone('SIGKILL', say), plain])
    for (const { pair, calls, violations } of await playSideBySide(stage, pairs, variant, random)) {
      expect(violations).toEqual([]);
      issuing.push(...calls.filter((call) => call.issued && call.accepted).map((call) => ({ call, pair })));
    }
  expect((await closeLedger(stage, pairs, issuing)).violations).toEqual([]);
  expect(await idsThatDoNotFollow(stage)).toEqual([]);
  await expectRebuilt({ databaseUrl, eventStoreUrl: node.url }, stage.core.personal.data);
});

/** Of the reaction's events: their ids say what they are caused by and about, so that they cannot be there twice. */
const idsThatDoNotFollow = async ({ core: { store } }: Stage): Promise<readonly string[]> => {
  const wrong: string[] = [];
  const eventTypes = ['GrantRevoked', 'RevocationCompleted'] as const;
  const leaving = new AbortController();
  for await (const message of store.subscribe({ after: null, eventTypes, signal: leaving.signal })) {
    if (message.kind === 'caught-up') break;
    if (message.kind !== 'event') continue;
    const { id, stream, event, metadata } = message.event;
    if (metadata.actor !== 'revoke-on-deactivation') continue;
    const about = event.type === 'GrantRevoked' ? [stream.slice('grant-'.length)] : [];
    if (id !== eventIdOf(metadata.causationId ?? '', event.type, ...about)) wrong.push(`${event.type} ${id}`);
  }
  leaving.abort();
  return wrong;
};
