import type { DomainEvent } from '../../../src/domain/events.ts';
import type { GrantSubject } from '../../../src/domain/access/grant.ts';
import { Violation } from './judge.ts';
import type { World } from './world.ts';

type Ended = {
  readonly subject: GrantSubject;
  readonly at: readonly number[];
  readonly byDeactivation: boolean;
};

/**
 * DE-04, when nobody has anything left to do: in an epoch that has ended every code that was answered has exactly one
 * GrantRevoked, and RevocationCompleted is there once, after all of them and with the number of those that it follows and
 * that the deactivation ended. A code that was answered to nobody may have come to its own end by then, or later, or,
 * should its issuer have been killed, not at all.
 */
export const reckon = ({ log, granted }: World): void => {
  const events = log.all().map(({ event }) => event);
  const grants = endsOf(log.all());
  for (const epoch of events.flatMap((event) =>
    event.type === 'AddonDeactivated' ? [event.data.epoch] : [],
  )) {
    const [place, ...more] = events.flatMap((event, index) => (isCompletionOf(event, epoch) ? [index] : []));
    if (place === undefined || more.length > 0) throw new Violation('DE-04: not completed once');
    const ofEpoch = [...grants].filter(
      ([, { subject }]) => subject.kind === 'organization' && subject.epoch === epoch,
    );
    for (const [grantId, { at }] of ofEpoch) {
      if (at.length > 1) throw new Violation('DE-04: revoked twice');
      if (granted.includes(grantId) && !at.some((index) => index < place))
        throw new Violation('DE-04: completed before a grant of it was revoked');
    }
    const before = ofEpoch.filter(
      ([, { at, byDeactivation }]) => byDeactivation && at.some((index) => index < place),
    );
    const least = before.filter(([grantId]) => granted.includes(grantId)).length;
    const completed = events[place];
    const counted = completed?.type === 'RevocationCompleted' ? completed.data.grants : -1;
    if (counted < least || counted > before.length)
      throw new Violation(`DE-04: ${counted} counted, of ${before.length} that were revoked before`);
  }
};

const isCompletionOf = (event: DomainEvent, epoch: number): boolean =>
  event.type === 'RevocationCompleted' && event.data.epoch === epoch;

/** Of every grant where in the log it was revoked. */
const endsOf = (log: ReturnType<World['log']['all']>): ReadonlyMap<string, Ended> => {
  const grants = new Map<string, Ended>();
  for (const [index, { stream, event }] of log.entries()) {
    const grantId = stream.slice('grant-'.length);
    const known = grants.get(grantId);
    if (event.type === 'AuthorizationCodeIssued')
      grants.set(grantId, { subject: event.data.subject, at: [], byDeactivation: false });
    if (event.type === 'GrantRevoked' && known)
      grants.set(grantId, {
        ...known,
        at: [...known.at, index],
        byDeactivation: event.data.reason === 'addon-deactivated',
      });
  }
  return grants;
};
