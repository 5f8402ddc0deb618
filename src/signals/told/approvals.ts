import type { EventOf } from '../../domain/events.ts';
import { idsOf } from '../../domain/kernel/stream-name.ts';
import { sessionRevoked } from './users.ts';
import { activationSubject, own, queueOf, type Telling, type Told, userSubject } from './told.ts';

type Change = EventOf<'ScopesApproved' | 'AudienceApproved' | 'ConsentWithdrawn'>['data'];

/** Null where the approval is for the user's own records. */
const organizationOf = ({ userId }: Change, { recorded }: Telling): string | null => {
  const [subjectId] = idsOf(recorded.stream);
  return subjectId === userId ? null : subjectId;
};

const approvalChanged = (
  data: Change,
  telling: Telling,
  payload: Readonly<Record<string, unknown>> & { readonly reason: string },
): Told => {
  const organizationId = organizationOf(data, telling);
  const user = userSubject(telling.issuer, data.userId);
  return {
    addonId: data.addonId,
    queue: queueOf(organizationId, data.userId),
    subId: organizationId === null ? user : { ...activationSubject(organizationId, data.addonId), user },
    ...own('approval-changed', telling, data.at, {
      ...(organizationId !== null && { organization_id: organizationId }),
      ...payload,
    }),
  };
};

export const approved = (
  data: EventOf<'ScopesApproved' | 'AudienceApproved'>['data'],
  telling: Telling,
): readonly Told[] => [
  approvalChanged(data, telling, {
    change: 'approved',
    scopes: data.scopes,
    ...('audience' in data && { audience: data.audience }),
    reason: 'The user allowed these scopes.',
  }),
];

/**
 * For the user's own records it ends the access (RT-17), if there ever was any. An approval for an organization is only
 * removed: the organization's grants stay (AC-03).
 */
export const withdrawn = (data: EventOf<'ConsentWithdrawn'>['data'], telling: Telling): readonly Told[] => {
  const { addonId, userId, at } = data;
  const had = telling.past.holders(userId).some((holder) => holder.own && holder.addonId === addonId);
  const ended = organizationOf(data, telling) === null && had;
  return [
    ...(ended
      ? [sessionRevoked(addonId, userId, at, telling, 'The user withdrew the consent to the add-on.')]
      : []),
    approvalChanged(data, telling, {
      change: 'withdrawn',
      scopes: [],
      reason: 'The user withdrew the approval.',
    }),
  ];
};
