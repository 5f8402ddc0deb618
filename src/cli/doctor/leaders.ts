import { failure, ok, warning, type Finding, type Look } from './finding.ts';
import type { Led, Running } from './running.ts';

/**
 * Each worker has one leader, which holds a lock in the database. That no instance runs at all is reported by the
 * service check.
 */
export const looksAtLeaders = ({ led, isStopped }: Pick<Running, 'led' | 'isStopped'>): readonly Look[] => [
  { check: 'leaders', look: async () => judgeLeaders(await led(), await isStopped()) },
];

export const judgeLeaders = (workers: readonly Led[], isStopped: boolean): readonly Finding[] => {
  if (isStopped) return [];
  if (workers.length === 0)
    return [warning('leaders', 'no service has ever run on this database', 'start one: `npm start`')];
  const missing = workers.filter(({ leader }) => leader === null).map(({ name }) => name);
  return [
    ...workers.flatMap(({ name, leader }) =>
      leader === null ? [] : [ok(`leader of ${name}`, `led from ${leader}`)],
    ),
    ...(missing.length === 0
      ? []
      : [
          failure(
            'leaders',
            `nobody leads ${missing.join(', ')}`,
            'see why the instances that run do not lead: their logs, and docs/operations.md, "The read models are behind"',
          ),
        ]),
  ];
};
