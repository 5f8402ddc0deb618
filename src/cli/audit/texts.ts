import { shortEventOf, stateWords } from '../../audit/timeline/notifications.ts';
import type { presentPage } from '../../audit/timeline/present-timeline.ts';
import { actorWords, nameWithId, actorOf } from '../../audit/timeline/words.ts';
import type { ShownAsOf } from '../../audit/questions/as-of.ts';
import { amount } from '../base/answer.ts';
import type { ShownEdge, ShownExposure } from '../../audit/questions/exposure.ts';
import type { Replayed } from '../../audit/questions/replay.ts';

const removedText = (until: string): string =>
  `Not included: old sessions, and codes that were never redeemed, removed by documented retention until ${until} (docs/reference/retention.md).`;

type Page = ReturnType<typeof presentPage> & {
  readonly complete: boolean;
  readonly removed_until: string | null;
};
type Entry = Page['entries'][number];

export const timelineText = (page: Page): string =>
  [pageText(page), ...(page.removed_until === null ? [] : [removedText(page.removed_until)])].join('\n');

const pageText = ({ about, entries, earlier, later, up_to: upTo, dropped, complete }: Page): string =>
  [
    `${nameWithId(about)}:`,
    ...(entries.length === 0 ? ['  no events match'] : entries.map(entryText)),
    ...(earlier === null ? [] : [`Earlier: --before ${earlier}`]),
    ...(later === null ? [] : [`Later: --after ${later}`]),
    ...(dropped.length === 0
      ? []
      : [
          `Not complete: the history of ${dropped.join(', ')} was dropped (grantbook history status). A rebuild of history brings it back.`,
        ]),
    ...(complete
      ? []
      : [
          `Not complete: events after ${upTo ?? 'the beginning'} are not indexed yet. Is an instance running?`,
        ]),
  ].join('\n');

const entryText = ({ time, what, why, actor, token_id: tokenId, told, ...entry }: Entry): string => {
  const by = actorWords(actor);
  const token = tokenId === null ? '' : ` with the administrator token ${tokenId}`;
  return [
    `${time}  ${what}`,
    ...(by === null ? [] : [`    by ${by}${token}`]),
    ...(why === null ? [] : [`    because ${why}`]),
    ...told.map((one) => `    ${toldText(one)}`),
    `    ${entry.type} ${entry.stream}@${entry.revision} at ${entry.position}, event ${entry.event_id}`,
  ].join('\n');
};

const toldText = ({ acknowledged_at: acknowledgedAt, ...rest }: Entry['told'][number]): string => {
  const told = { ...rest, acknowledgedAt };
  const at = acknowledgedAt === null ? '' : ` at ${acknowledgedAt}`;
  return `message to ${nameWithId(told.addon)}: ${shortEventOf(told)}, ${stateWords(told)}${at}, jti ${told.jti}`;
};

export const asOfText = (then: ShownAsOf): string => {
  const people = (of: readonly { readonly id: string; readonly name: string | null }[]) =>
    of.length === 0 ? 'none' : of.map(nameWithId).join(', ');
  return [
    `${nameWithId(then.organization)} ${then.existed ? '' : 'did not exist yet '}at ${then.time ?? 'the beginning'} (position ${then.position ?? 'none'}):`,
    `administrators: ${people(then.administrators)}`,
    `auditors: ${people(then.auditors)}`,
    ...then.activations.map(
      ({ addon, status, epoch, suspended, since, by, event }) =>
        `add-on ${nameWithId(addon)}: ${status}${suspended ? ', suspended' : ''}, epoch ${epoch}, since ${since} by ${nameWithId(by)} (${event})`,
    ),
    `live grants: ${then.grants_in_all}; codes not exchanged: ${then.unexchanged_codes}`,
    ...then.grants.map(
      (grant) =>
        `  ${grant.grant_id} of ${nameWithId(grant.addon)} on the records of ${grant.subject.kind} ${nameWithId(grant.subject)}, approved by ${nameWithId(grant.approved_by)}: ${grant.suspended ? 'suspended, ' : ''}open ${grant.open_scopes.length === 0 ? 'nothing' : `${grant.open_scopes.join(' ')} until ${grant.open_until}`}, ${grant.renewable_until === null ? 'not renewable' : `renewable for ${grant.scopes.join(' ')} until ${grant.renewable_until}`}`,
    ),
    ...(then.next === null ? [] : [`More: --skip ${then.next}`]),
  ].join('\n');
};

export const exposureText = (json: ShownExposure): string => {
  const edge = ({ at, event }: ShownEdge) =>
    `${at} (${event ? `${event.type} ${event.stream}@${event.revision}` : 'the token expired'})`;
  return [
    `What ${nameWithId(json.addon)} could read of ${nameWithId(json.organization)}:`,
    ...(json.intervals.length === 0 ? ['  nothing'] : []),
    ...json.intervals.map(
      ({ subject, scope, opened, closed, records }) =>
        `  ${scope} of ${subject.kind} ${nameWithId(subject)}\n    from ${edge(opened)}\n    to ${closed ? edge(closed) : 'the end of the period or later'}${records === null ? '' : `\n    records that could be read: ${records}`}`,
    ),
    `access tokens in use: ${json.tokens_in_all}`,
    ...json.tokens.map(
      (token) =>
        `  grant ${token.grant_id}, rotation ${token.rotation}: ${token.scopes.join(' ')}, issued ${token.issued_at} (${token.event}), until ${token.closed ? edge(token.closed) : token.expires_at}`,
    ),
    `hours in which lists were read (counted since ${json.reads_counted_since}): ${json.reads_in_all}`,
    ...json.reads.map(
      ({ grant_id, list, pages, records, networks, from, until }) =>
        `  grant ${grant_id}: ${list}, ${amount(pages, 'page')}, ${amount(records, 'record')}, from ${networks.join(', ') || 'unknown networks'}, between ${from} and ${until}`,
    ),
    ...(json.reads_unattributed === 0
      ? []
      : [`pages whose grant is unknown (all add-ons): ${json.reads_unattributed}`]),
    ...(json.next === null ? [] : [`More: --skip ${json.next}`]),
  ].join('\n');
};

export const replayText = ({ stream, steps, next }: Replayed): string =>
  [
    `${stream}:`,
    ...(steps.length === 0 ? ['  no events up to --until'] : steps.map(stepText)),
    ...(next === null ? [] : [`More: --from ${next}`]),
  ].join('\n');

const stepText = (step: Replayed['steps'][number]): string => {
  const { revision, time, type, position, event_id: id, readable, data, state } = step;
  const by = readable ? actorIn(step) : null;
  return [
    `@${revision}  ${time}  ${type}${by === null ? '' : ` by ${by}`}  (${position}, event ${id})`,
    readable ? `  event  ${JSON.stringify(data)}` : '  event  cannot be read by this version',
    `  state  ${JSON.stringify(state)}`,
  ].join('\n');
};

/** As the event says it: without a name. */
const actorIn = ({ actor, data }: Replayed['steps'][number]): string | null => {
  const { by } = (data ?? {}) as { readonly by?: unknown };
  const who = actor ?? (typeof by === 'string' ? by : null);
  return who === null ? null : actorWords(actorOf(who, new Map()));
};
