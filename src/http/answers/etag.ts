/** Whether `If-None-Match` has this tag, weakly: a compressing proxy has made it weak (RFC 9110 §13.1.2). */
export const isSameTag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
