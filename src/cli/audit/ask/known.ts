import { removalOf } from '../../../audit/retention/removals.ts';
import { type About } from '../../../domain/event-subjects.ts';
import { grantStream } from '../../../domain/streams.ts';
import { refusedQuestion, type AuditService, type Refused } from './service.ts';

const words = { organization: 'organization', addon: 'add-on', user: 'user', grant: 'grant' } as const;

/** Refuses a subject that never occurred in the log; null when it is known. */
export const unlessKnown = async (service: AuditService, about: About): Promise<Refused | null> =>
  (await service.audit.timeline.exists(about))
    ? null
    : ((about.kind === 'grant' ? await refusedAsRemoved(service, grantStream(about.id)) : null) ??
      refusedQuestion(
        `${about.kind}-unknown`,
        `no ${words[about.kind]} has the id ${about.id} of --${about.kind}`,
      ));

/** Refuses a stream that documented retention has removed; null for every other. */
export const refusedAsRemoved = async (
  { store }: Pick<AuditService, 'store'>,
  stream: string,
): Promise<Refused | null> => {
  const removed = await removalOf(store, stream);
  return (
    removed &&
    refusedQuestion(
      'removed',
      `${stream} was removed at ${new Date(removed.at).toISOString()} by documented retention, as ${removed.category} (docs/reference/retention.md)`,
    )
  );
};
