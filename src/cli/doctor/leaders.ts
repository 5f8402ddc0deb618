import { failure, ok, warning, type Finding, type Check } from './finding.ts';
import type { Led, Running } from './running.ts';

/** Each worker has one leader, which holds a lock in the database. That no instance runs is said by the service check. */
export const leaderChecks = ({ led, isStopped }: Pick<Running, 'led' | 'isStopped'>): readonly Check[] => [
  { check: 'leaders', run: async () => judgeLeaders(await led(), await isStopped()) },
];

export const judgeLeaders = (workers: readonly Led[], isStopped: boolean): readonly Finding[] => {
  if (isStopped) return [];
  if (workers.length === 0)
    return [warning('leaders', 'no service has ever run on this database', 'start one: `npm start`')];
  const missing = workers.filter(({ leader }) => leader === null).map(({ name }) => name);
  return [
    ...workers.flatMap(({ name, leader }) =>
      leader === null ? [] : [ok(`leader of ${name}`, `the leader is ${leader}`)],
    ),
    ...(missing.length === 0
      ? []
      : [
          failure(
            'leaders',
            `no leader for ${missing.join(', ')}`,
            'find out why no running instance becomes the leader: see their logs, and docs/how-to/operations.md, "The read models are behind"',
          ),
        ]),
  ];
};
