import type { AccountEvent, EmailEvent } from './account.ts';
import type { ActivationEvent } from './activation.ts';
import type { AddonEvent } from './addon.ts';
import type { AddonTokenEvent } from './addon-token.ts';
import type { AdministratorTokenEvent } from './administrator-token.ts';
import type { AuditQueryEvent } from './audit-query.ts';
import type { ConsentEvent } from './consent.ts';
import type { ExternalIdEvent } from './external-id.ts';
import type { GrantEvent } from './grant.ts';
import type { IdentityEvent } from './identity.ts';
import type { LogCopyEvent } from './log-copy.ts';
import type { LogHeadEvent } from './log-head.ts';
import type { OperatorsEvent } from './operators.ts';
import type { OrganizationEvent } from './organization.ts';
import type { ProjectionEvent } from './projection-swap.ts';
import type { RecordEvent } from './each-record.ts';
import type { RetentionEvent } from './streams-removed.ts';
import type { SessionEvent } from './session.ts';
import type { SignalStreamEvent } from './signal-stream.ts';
import type { SigningKeyEvent } from './signing-key-history.ts';

/** All events of the log. `docs/events.md` lists them with their fields. */
export type DomainEvent =
  | AddonEvent
  | AddonTokenEvent
  | AccountEvent
  | EmailEvent
  | IdentityEvent
  | AdministratorTokenEvent
  | OrganizationEvent
  | ExternalIdEvent
  | ActivationEvent
  | ConsentEvent
  | GrantEvent
  | SessionEvent
  | RecordEvent
  | ProjectionEvent
  | AuditQueryEvent
  | LogHeadEvent
  | LogCopyEvent
  | SigningKeyEvent
  | SignalStreamEvent
  | RetentionEvent
  | OperatorsEvent;

export type EventType = DomainEvent['type'];

/** The event of one type. */
export type EventOf<T extends EventType> = Extract<DomainEvent, { readonly type: T }>;
