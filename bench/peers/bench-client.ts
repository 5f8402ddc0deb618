import { createHash, randomBytes } from 'node:crypto';
import type { Side } from '../against/side.ts';
import { closeAll, closeWhenInterrupted } from '../closing.ts';

/** The one client of a peer, and what its authorizations say besides `client_id` and `scope`. */
export const clientId = 'bench';
export const clientSecret = randomBytes(32).toString('base64url');
export const redirectUri = 'https://addon.example/callback';
export const codeVerifier = 'bench-'.padEnd(64, 'v');
export const authorizationQuery = new URLSearchParams({
  redirect_uri: redirectUri,
  response_type: 'code',
  state: 'state-of-the-bench', // Hydra asks for eight characters
  code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
  code_challenge_method: 'S256',
}).toString();

/** Starts a peer and prints where it is; one that does not start says why, and the program ends. */
export const sayWhere = async (start: () => Promise<Side>): Promise<void> => {
  closeWhenInterrupted();
  try {
    console.log(JSON.stringify(await start()));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    await closeAll();
    process.exit(1);
  }
};
