import { nameWithId } from '../../audit/timeline/words.ts';
import { amount } from '../base/answer.ts';
import type { ShownEdge, ShownExposure } from './ask/exposure.ts';

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
