import type { Paths } from './describe.ts';
import { activationPaths } from './routes/activations.ts';
import { auditPaths } from './routes/audit.ts';
import { discoveryPaths } from './routes/discovery.ts';
import { identityPaths } from './routes/identity.ts';
import { listPaths } from './routes/lists.ts';
import { oauthPaths } from './routes/oauth.ts';
import { operationPaths } from './routes/operation.ts';
import { operatorPaths } from './routes/operator.ts';
import { pagePaths } from './routes/pages.ts';
import { tokenPagePaths } from './routes/token-pages.ts';

/** Every route of the server, in the order in which a reader meets them. */
export const describeRoutes = ({ issuer }: { readonly issuer: string }): Paths => ({
  ...oauthPaths,
  ...listPaths,
  ...identityPaths,
  ...discoveryPaths(issuer),
  ...activationPaths,
  ...auditPaths,
  ...pagePaths,
  ...tokenPagePaths,
  ...operatorPaths,
  ...operationPaths,
});
