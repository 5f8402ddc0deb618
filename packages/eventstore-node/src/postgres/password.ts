import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** A password, and the verifier that PostgreSQL stores: the password itself never appears in its log or files. */
export type Password = { readonly text: string; readonly verifier: string };

/** The minimum that clients accept (RFC 7677 §4), although a random password would need no iterations. */
const ITERATIONS = 4096;

/** A random password. The verifier is that of SCRAM-SHA-256 (RFC 5802 §3) in PostgreSQL's notation. */
export function newPassword(): Password {
  const text = randomBytes(32).toString('base64url');
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(text, salt, ITERATIONS, 32, 'sha256');
  const keyFor = (use: string) => createHmac('sha256', salted).update(use).digest();
  const stored = createHash('sha256').update(keyFor('Client Key')).digest();
  const parts = [salt, stored, keyFor('Server Key')].map((bytes) => bytes.toString('base64'));
  return { text, verifier: `SCRAM-SHA-256$${ITERATIONS}:${parts[0]}$${parts[1]}:${parts[2]}` };
}
