import { nameWithId } from '../../audit/timeline/words.ts';
import type { ShownAsOf } from './ask/as-of.ts';

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
