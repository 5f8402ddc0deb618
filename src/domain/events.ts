import type { AccountEvent, EmailEvent } from './people/account.ts';
import type { ActivationEvent } from './organizations/activation.ts';
import type { AddonEvent } from './addons/addon.ts';
import type { AddonTokenEvent } from './access/addon-token.ts';
import type { AdministratorTokenEvent } from './people/administrator-token.ts';
import type { AuditQueryEvent } from './log/audit-query.ts';
import type { ConsentEvent } from './access/consent.ts';
import type { ExternalIdEvent } from './organizations/external-id.ts';
import type { GrantEvent } from './access/grant.ts';
import type { IdentityEvent } from './people/identity.ts';
import type { LogCopyEvent } from './log/log-copy.ts';
import type { LogHeadEvent } from './log/log-head.ts';
import type { OperatorsEvent } from './people/operators.ts';
import type { OrganizationEvent } from './organizations/organization.ts';
import type { ProjectionEvent } from './log/projection-swap.ts';
import type { RecordEvent } from './records/each-record.ts';
import type { RetentionEvent } from './log/streams-removed.ts';
import type { SessionEvent } from './sign-in/session.ts';
import type { SignalStreamEvent } from './signals/signal-stream.ts';
import type { SigningKeyEvent } from './log/signing-key-history.ts';

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
