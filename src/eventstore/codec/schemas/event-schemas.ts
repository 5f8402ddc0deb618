import type { EventType } from '../../../domain/events.ts';
import { accountSchemas, emailSchemas, identitySchemas, operatorsSchemas } from './account-schemas.ts';
import { activationSchemas } from './activation-schemas.ts';
import { addonSchemas } from './addon-schemas.ts';
import { addonTokenSchemas } from './addon-token-schemas.ts';
import { administratorTokenSchemas } from './administrator-token-schemas.ts';
import { auditQuerySchemas } from './audit-query-schemas.ts';
import { consentSchemas } from './consent-schemas.ts';
import { grantSchemas } from './grant-schemas.ts';
import { logCopySchemas, logHeadSchemas } from './log-head-schemas.ts';
import { externalIdSchemas, organizationSchemas } from './organization-schemas.ts';
import { projectionSchemas } from './projection-schemas.ts';
import { recordSchemas, recordSchemasByCategory } from './record-schemas.ts';
import { retentionSchemas } from './retention-schemas.ts';
import type { EventSchema } from './schemas-of.ts';
import { sessionSchemas } from './session-schemas.ts';
import { signalStreamSchemas } from './signal-stream-schemas.ts';
import { signingKeySchemas } from './signing-key-schemas.ts';

/** The schemas by the category of the streams. */
export const schemasByCategory = {
  addon: addonSchemas,
  account: accountSchemas,
  email: emailSchemas,
  identity: identitySchemas,
  operators: operatorsSchemas,
  administratorTokens: administratorTokenSchemas,
  clientToken: addonTokenSchemas,
  organization: organizationSchemas,
  externalId: externalIdSchemas,
  activation: activationSchemas,
  consent: consentSchemas,
  grant: grantSchemas,
  session: sessionSchemas,
  ...recordSchemasByCategory,
  projection: projectionSchemas,
  audit: auditQuerySchemas,
  logHead: logHeadSchemas,
  logCopy: logCopySchemas,
  signingKey: signingKeySchemas,
  signalStream: signalStreamSchemas,
  retention: retentionSchemas,
} as const;

/** The newest schema of each event type. */
export const eventSchemas = {
  ...addonSchemas,
  ...addonTokenSchemas,
  ...accountSchemas,
  ...emailSchemas,
  ...identitySchemas,
  ...administratorTokenSchemas,
  ...organizationSchemas,
  ...externalIdSchemas,
  ...activationSchemas,
  ...consentSchemas,
  ...grantSchemas,
  ...sessionSchemas,
  ...recordSchemas,
  ...projectionSchemas,
  ...auditQuerySchemas,
  ...logHeadSchemas,
  ...logCopySchemas,
  ...signingKeySchemas,
  ...signalStreamSchemas,
  ...retentionSchemas,
  ...operatorsSchemas,
} satisfies Record<EventType, EventSchema>;
