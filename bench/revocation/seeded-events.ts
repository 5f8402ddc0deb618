import { randomBytes } from 'node:crypto';
import { codec } from '../../src/eventstore/codec/codec.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import type { GrantTerms } from '../../src/domain/access/grant.ts';

/** Terms that all seeded grants of an activation share. Instants are milliseconds since the Unix epoch. */
export type SeededTerms = Pick<GrantTerms, 'addonId' | 'scopes' | 'redirectUri' | 'keyId'> & {
  readonly organizationId: string;
  readonly epoch: number;
  readonly at: number;
  /** Of both tokens; far enough in the future for a long bench. */
  readonly expiresAt: number;
};

export type SeededText = { readonly type: string; readonly data: string; readonly metadata: string };

const minute = 60_000;
const grantIdMark = 'GRANT_ID_MARK';
const userIdMark = 'USER_ID_MARK';
const saltMark = 'SALT_MARK';

/**
 * Creates the two events of a redeemed grant in their stored form. The service's codec encodes them once; only ids and
 * salts are replaced, because encoding a million would take longer than COPY.
 */
export const makeSeededEvents = (
  terms: SeededTerms,
): ((grantId: string, userId: string) => readonly [issued: SeededText, redeemed: SeededText]) => {
  const issued = template({ type: 'AuthorizationCodeIssued', data: termsOf(terms) }, userIdMark);
  const redeemed = template(
    {
      type: 'AuthorizationCodeRedeemed',
      data: {
        keyId: terms.keyId,
        salt: saltMark,
        at: terms.at,
        accessExpiresAt: terms.expiresAt,
        refreshIdleExpiresAt: terms.expiresAt,
        refreshAbsoluteExpiresAt: terms.expiresAt,
        resources: null,
      },
    },
    `addon:${terms.addonId}`,
  );
  return (grantId, userId) => [issued(grantId, userId, newSalt()), redeemed(grantId, userId, newSalt())];
};

const termsOf = ({ organizationId, epoch, expiresAt: _expiresAt, ...terms }: SeededTerms): GrantTerms => ({
  ...terms,
  grantId: grantIdMark,
  userId: userIdMark,
  subject: { kind: 'organization', organizationId, epoch },
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', // RFC 7636, appendix B
  nonce: null,
  resources: [],
  authTime: terms.at - minute,
  authentication: null,
  salt: saltMark,
  expiresAt: terms.at + minute,
});

const template = (event: DomainEvent, actor: string) => {
  const { type, data, metadata } = codec.encode(event, { actor });
  const dataText = JSON.stringify(data);
  const metadataText = JSON.stringify(metadata);
  if (`${dataText}${metadataText}`.includes('\\'))
    throw new Error('a seeded event would need escaping for COPY');
  return (grantId: string, userId: string, salt: string): SeededText => ({
    type,
    data: dataText.replace(grantIdMark, grantId).replace(userIdMark, userId).replace(saltMark, salt),
    metadata: metadataText.replace(userIdMark, userId),
  });
};

/** A call for random bytes has a high fixed cost, so it gets a thousand salts at once. */
const newSalt = (() => {
  let pool = Buffer.alloc(0);
  let used = 0;
  return (): string => {
    if (used === pool.length) {
      pool = randomBytes(16 * 1024);
      used = 0;
    }
    used += 16;
    return pool.toString('base64url', used - 16, used);
  };
})();
