/** The code of a file system error; null for every other error. */
export const fileTrouble = (error: unknown): string | null => {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const isFile = syscall !== undefined && /^(open|read|write|link|fsync|scandir)$/.test(syscall);
  return isFile && code !== undefined ? code : null;
};
