/** Waits for the work, or until `signal` is aborted. Work that is abandoned may still fail: of that nobody needs to hear. */
export const unlessAborted = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  let leave = () => {};
  const aborted = new Promise<void>((resolve) => (leave = resolve));
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    await Promise.race([work, aborted]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
};
