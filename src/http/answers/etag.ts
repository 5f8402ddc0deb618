/**
 * Whether `If-None-Match` contains this tag. Compared weakly: a proxy that compressed the answer has made the tag weak
 * (RFC 9110 §13.1.2).
 */
export const isSameTag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
