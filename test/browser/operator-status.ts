import type { OperatorStatus } from '../../src/projections/operations/status.ts';

/** A service in which a little of everything is going on. */
const at = Date.UTC(2026, 4, 1, 10);
const samples = Array.from({ length: 60 }, (_, index) => ({
  at: at - 10_000 * (59 - index),
  behind: index === 30 ? null : index > 30 && index < 45 ? 40 * (45 - index) : index % 3,
}));

export const operatorStatus: OperatorStatus = {
  at,
  instance: 'harbour-1:4711',
  lostKeys: 3,
  database: {
    groups: [
      { name: 'timelines', position: '88120/88120', leader: 'harbour-2:4712' },
      { name: 'read-models', position: '88120/88120', leader: 'harbour-1:4711' },
      { name: 'revoke-on-deactivation', position: null, leader: null },
    ],
    instances: [
      { name: 'harbour-1:4711', since: at - 86_400_000, leads: ['read-models'] },
      { name: 'harbour-2:4712', since: at - 3_600_000, leads: ['timelines'] },
    ],
    parked: {
      all: 1,
      keys: [
        {
          events: 2,
          first: {
            checkpoint: 'read-models',
            projection: 'lists',
            stream: 'profile-01JD3FB4N5P7Q9R1S3T5V7W9X1.member_with_a_rather_long_id_4711',
            revision: 3n,
            eventId: '7f9c24e8-3b12-4c61-9d5a-2f0e8b1c6a43',
            type: 'ProfileRecorded',
            position: { commit: 88000n, prepare: 88000n },
            error: 'Postgres 23505, a constraint, table profiles, constraint profiles_in_order',
            closes: null,
            parkedAt: at - 600_000,
          },
        },
      ],
    },
    failingEndpoints: 1,
    rebuilds: [
      {
        name: 'grants',
        version: 2,
        state: 'building',
        events: 120_000,
        eventsPerSecond: 4000,
        secondsLeft: 90,
      },
    ],
  },
  lag: [{ name: 'read-models', most: 1000, samples }],
  workers: [
    { name: 'projector', state: 'leading', health: 'ok' },
    { name: 'Kafka ingest', state: 'not configured', health: 'off' },
    { name: 'Kafka relay', state: 'does not work (ECONNREFUSED); 120 events wait', health: 'failing' },
  ],
};
