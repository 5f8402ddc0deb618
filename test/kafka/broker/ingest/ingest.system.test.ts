import { afterAll, beforeAll, expect, test } from 'vitest';
import { patience } from '../../../support/patience.ts';
import { describeWithBroker } from '../../../support/kafka-broker/with-broker.ts';
import { startIngestScene, type IngestScene, times, untilRead } from './scene.ts';

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

describeWithBroker('LI-08: records by a real broker', () => {
  let scene: IngestScene;
  beforeAll(async () => void (scene = await startIngestScene()));
  afterAll(() => scene.close());

  test('appear in the lists and leave them; the topics read again from zero change nothing', async () => {
    const { organizationId: organization_id, core, meeting } = scene;
    const { profiles, reservations, accessRights } = meeting.topics.in;
    const reservation = {
      organization_id,
      profile_id: 'p0',
      resource: 'Room 4',
      starts_at: '2026-05-01T09:00:00Z',
      ends_at: '2026-05-01T10:00:00Z',
      status: 'confirmed',
      version: 1,
    };
    const right = {
      organization_id,
      profile_id: 'p0',
      opens: 'North door',
      valid_from: '2026-05-01T00:00:00Z',
      status: 'active',
      version: 1,
    };
    const bare = (topic: string, value: unknown) => ({
      topic,
      key: null,
      value: JSON.stringify(value),
      headers: {},
    });
    const tombstone = (topic: string, id: string, version: number) => ({
      topic,
      key: `${organization_id}.${id}`,
      value: null,
      headers: { version: String(version) },
    });
    await scene.send([
      ...times(200).map((i) => scene.profile(`p${i}`)),
      ...times(200).map((i) => scene.profile(`p${i}`, 2)),
      ...times(60).map((i) => bare(reservations, { ...reservation, id: `r${i}` })),
      ...times(60).map((i) => bare(accessRights, { ...right, id: `a${i}` })),
      ...times(50).map((i) => tombstone(profiles, `p${i}`, 3)),
      ...times(50).map((i) => tombstone(reservations, `r${i}`, 2)),
      ...times(50).map((i) =>
        bare(accessRights, { organization_id, id: `a${i}`, version: 2, deleted: true }),
      ),
    ]);
    const workers = scene.startWorkers();
    await workers.ready;
    const member = await scene.member();
    await untilRead(scene);
    const events = await scene.recorded();
    const newest = events.at(-1)?.position;
    expect(newest && (await core.readModels.waitFor(newest, patience))).toBe(true);
    expect(await scene.listed()).toEqual({ profiles: 150, reservations: 10, access_rights: 10 });
    await scene.send([scene.profile('p7'), scene.profile('p77')]);
    await untilRead(scene);
    // A message may be delivered again: it counts as unchanged or outdated then, and appends nothing.
    expect(events).toHaveLength(320 + 200 + 150);
    expect(await scene.recorded()).toHaveLength(events.length);
    expect(Object.keys(member.counted())).toContain('outdated');

    const again = await scene.member(`${meeting.group}.again`);
    await untilRead(scene, `${meeting.group}.again`);
    expect(Object.keys(again.counted()).toSorted()).toEqual(['outdated', 'unchanged']);
    expect(sumOf(again.counted())).toBeGreaterThanOrEqual(672);
    expect(await scene.recorded()).toHaveLength(events.length);
    await Promise.all([member.leave(), again.leave()]);
  });
});
