/** Waits for the work, or until `signal` is aborted: then undefined. A later failure of abandoned work is ignored. */
export const raceAbort = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  let leave = () => {};
  const aborted = new Promise<undefined>((resolve) => (leave = () => resolve(undefined)));
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
};
