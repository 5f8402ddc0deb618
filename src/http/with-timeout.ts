/** What a promise holds, or null when it fails or takes longer: for what an answer can do without. */
export const withTimeoutOrNull = async <T>(ms: number, promise: Promise<T>): Promise<T | null> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, ms, null)));
  return Promise.race([promise.catch(() => null), late]).finally(() => clearTimeout(timer));
};
