/** What `open` returns; if it fails, what was opened before is closed: an open connection would keep the process alive. */
export const orClose = async <T>(open: () => T | Promise<T>, close: () => Promise<unknown>): Promise<T> => {
  try {
    return await open();
  } catch (error) {
    await close().catch(() => undefined); // the first failure is the one to report
    throw error;
  }
};
