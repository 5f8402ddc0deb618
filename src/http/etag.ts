/**
 * Whether `If-None-Match` names this tag. Compared weakly: a proxy that compressed the answer has marked it
 * (RFC 9110 §13.1.2).
 */
export const isSameTag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
