import { accountPaths } from './account/account-paths.ts';
import { passkeyPaths } from './account/passkey-paths.ts';
import { passwordPaths } from './account/password-paths.ts';
import { tokenPagePaths } from './account/token-paths.ts';
import { activationPaths } from './admin/activation-paths.ts';
import { adminPaths, homePaths } from './admin/admin-paths.ts';
import { auditPaths } from './audit/audit-paths.ts';
import { docsPaths } from './docs/docs-paths.ts';
import { federationPaths } from './federation/federation-paths.ts';
import { healthPaths } from './health/health-paths.ts';
import { listPaths } from './lists/list-paths.ts';
import { metricsPaths } from './metrics/metrics-paths.ts';
import { authorizePagePaths } from './oauth/authorize/authorize-page-paths.ts';
import { keyPaths, metadataPaths, protectedResourcePaths } from './oauth/identity/discovery-paths.ts';
import { identityPaths } from './oauth/identity/identity-paths.ts';
import { oauthPaths } from './oauth/oauth-paths.ts';
import type { Paths } from './openapi/describe.ts';
import { entityPagePaths } from './operator/entity-page-paths.ts';
import { operatorApiPaths } from './operator/api-paths.ts';
import { operatorPaths } from './operator/operator-paths.ts';
import { pollPaths } from './signals/poll-paths.ts';
import { ssfConfigurationPaths, streamPaths } from './signals/stream-paths.ts';
import { sessionPaths } from './session/session-paths.ts';

/**
 * Every route of the server, in the order of the document. Each file of descriptions is next to the file that registers
 * its routes.
 */
export const describeRoutes = ({ issuer }: { readonly issuer: string }): Paths => ({
  ...oauthPaths,
  ...pollPaths,
  ...listPaths,
  ...identityPaths,
  ...metadataPaths(issuer),
  ...protectedResourcePaths(issuer),
  ...ssfConfigurationPaths(issuer),
  ...streamPaths,
  ...keyPaths,
  ...activationPaths,
  ...auditPaths,
  ...operatorApiPaths,
  ...authorizePagePaths,
  ...sessionPaths,
  ...federationPaths,
  ...homePaths,
  ...accountPaths,
  ...adminPaths,
  ...tokenPagePaths,
  ...passwordPaths,
  ...passkeyPaths,
  ...operatorPaths,
  ...entityPagePaths,
  ...healthPaths,
  ...metricsPaths,
  ...docsPaths,
});
