import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { categoryOf } from '../../src/domain/kernel/stream-name.ts';
import { emailStream, identityStream } from '../../src/domain/streams.ts';
import { run } from '../operations/running.ts';
import { startTestServers } from '../support/test-servers.ts';
import { foreseenFrom } from './foreseen.ts';
import { categories, passOverNewer, startNewerVersion, type Written } from './newer-version.ts';
import { beginAccess, goOnWithAccess } from './story/access.ts';
import { beginAddons, goOnWithAddons } from './story/addons.ts';
import { beginLog, goOnWithLog, removeOne } from './story/log.ts';
import { beginOrganizations, goOnWithOrganizations } from './story/organizations.ts';
import { addresses, beginPeople, goOnWithPeople, identity } from './story/people.ts';
import { storyOf } from './story/story.ts';

/** `log copy` alone writes it, to the log of another server: test/operations/log-copy.system.test.ts. */
const ofAnotherLog = 'logCopy';
const expected = categories.filter((category) => category !== ofAnotherLog).toSorted();

/** A stream of these begins with an id that nobody knows before its first event. */
const beginWithTheirOwn = [
  'account',
  'addon',
  'clientToken',
  'grant',
  'organization',
  'publisher',
  'session',
];

const startScene = async () => {
  const { node, database, stores } = await startTestServers(onTestFinished);
  const pool = new pg.Pool({ connectionString: database.url });
  await passOverNewer(pool);
  await pool.end();
  const digests: string[] = [];
  const newer = startNewerVersion(node.url, (streams) => [...foreseenFrom(streams), ...digests]);
  onTestFinished(() => newer.stop());
  const start = async () => {
    const running = await run(stores);
    onTestFinished(() => running.stop());
    await running.workers.ready;
    return running;
  };
  await newer.writeEverywhere();
  const running = await start();
  const { persons } = running.core.personal;
  for (const address of addresses) digests.push(emailStream(await persons.emailDigest(address)));
  digests.push(identityStream(await persons.identityDigest(identity.issuer, identity.subject)));
  return { running, newer, start };
};

/** In which categories an event of ours follows one of the newer version in its stream. */
const decidedAfterNotes = (log: readonly Written[], from: number): readonly string[] => {
  const noted = new Set<string>();
  const decided = log.filter(({ stream, ours }, index) => {
    if (!ours) noted.add(stream);
    return ours && index >= from && noted.has(stream);
  });
  return [...new Set(decided.map(({ stream }) => categoryOf(stream)))].toSorted();
};

test('FX-39: no decision, on any kind of stream, is held up by events of a newer version that may be skipped', async () => {
  const { running, newer, start } = await startScene();
  const story = storyOf(running, newer);
  await beginLog(story);
  const people = await beginPeople(story);
  const organizations = await beginOrganizations(story, people);
  const addons = await beginAddons(story, people);
  const access = await beginAccess(story, { ...people, ...addons });
  await removeOne(story, addons);
  await removeOne(story, addons);
  const half = (await newer.log()).length;

  const fresh = await start(); // nothing is cached
  const later = storyOf(fresh, newer);
  await goOnWithAccess(later, { ...people, ...addons }, access, running);
  await removeOne(later, addons);
  await goOnWithAddons(later, people, addons);
  await goOnWithOrganizations(later, people, organizations);
  await goOnWithPeople(later, people);
  await goOnWithLog(later);

  const log = await newer.log();
  expect(decidedAfterNotes(log, 0)).toEqual(expected);
  expect(decidedAfterNotes(log, half)).toEqual(expected);
  const first = new Map(log.toReversed().map((one) => [one.stream, one]));
  const begunByNotes = log.filter(({ stream, ours }) => ours && first.get(stream)?.ours === false);
  expect([...new Set(begunByNotes.map(({ stream }) => categoryOf(stream)))].toSorted()).toEqual(
    expected.filter((category) => !beginWithTheirOwn.includes(category)),
  );
  const alarms = [...running.lines, ...fresh.lines].filter(({ alarm }) => alarm);
  expect(alarms.map(({ msg }) => msg)).toEqual([]);
});
