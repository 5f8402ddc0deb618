import type { Clients } from './clients.ts';
import type { EdgeRequest } from './edge-request.ts';
import { authorizeClientRequests } from './families/authorize-client.ts';
import { authorizeHttpRequests } from './families/authorize-http.ts';
import { authorizeOpenIdRequests } from './families/authorize-openid.ts';
import { authorizeParameterRequests } from './families/authorize-parameters.ts';
import { tokenClientRequests } from './families/token-client.ts';
import { tokenCodeRequests } from './families/token-code.ts';
import { tokenHttpRequests } from './families/token-http.ts';
import { tokenRefreshRequests } from './families/token-refresh.ts';

/** Every request of the comparison; those before which time must pass come last, the longest wait at the end. */
export const edgeRequests = (clients: Clients): readonly EdgeRequest[] =>
  [
    authorizeClientRequests,
    authorizeParameterRequests,
    authorizeOpenIdRequests,
    authorizeHttpRequests,
    tokenClientRequests,
    tokenCodeRequests,
    tokenRefreshRequests,
    tokenHttpRequests,
  ]
    .flatMap((family) => family(clients))
    .toSorted((a, b) => a.after - b.after);
