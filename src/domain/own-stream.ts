import type { EventOf, EventType } from './events.ts';
import { eachRecordEvent } from './records/each-record.ts';
import {
  accountStream,
  activationStream,
  addonStream,
  addonTokenStream,
  administratorTokensStream,
  grantStream,
  organizationStream,
  recordStream,
  sessionStream,
  signalStream,
  type StreamName,
} from './streams.ts';

type RecordIds = { readonly organizationId: string; readonly id: string };
type ActivationIds = { readonly organizationId: string; readonly addonId: string };

const activation = ({ organizationId, addonId }: ActivationIds) => activationStream(organizationId, addonId);

/** For events whose data name their subject: the only stream that may hold them. */
const ownStreams = {
  AddonRegistered: ({ addonId }) => addonStream(addonId),
  AddonTokenIssued: ({ tokenId }) => addonTokenStream(tokenId),
  OrganizationCreated: ({ organizationId }) => organizationStream(organizationId),
  AccountCreated: ({ userId }) => accountStream(userId),
  AdministratorTokenIssued: ({ userId }) => administratorTokensStream(userId),
  AddonActivated: activation,
  AddonDeactivated: activation,
  AuthorizationCodeIssued: ({ grantId }) => grantStream(grantId),
  SignalStreamCreated: ({ addonId }) => signalStream(addonId),
  SessionStarted: ({ sessionId }) => sessionStream(sessionId),
  ...eachRecordEvent(
    (resource) =>
      ({ organizationId, id }: RecordIds) =>
        recordStream(resource, organizationId, id),
  ),
} as const satisfies { readonly [T in EventType]?: (data: EventOf<T>['data']) => StreamName };

/** The only stream that may hold the event, from its data; null where the data do not say it. */
export const ownStreamOf = (type: EventType, data: unknown): StreamName | null =>
  Object.hasOwn(ownStreams, type)
    ? ((ownStreams as unknown as Record<string, (data: unknown) => StreamName>)[type]?.(data) ?? null)
    : null;
