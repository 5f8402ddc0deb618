/** What runs beside the bench and would be left behind by one that is interrupted; the newest is closed first. */
const open = new Set<() => Promise<void>>();

/** @returns what closes it, once, by whoever comes first: its user, or an interruption */
export const closedInAnyCase = (close: () => Promise<void>): (() => Promise<void>) => {
  let closing: Promise<void> | undefined;
  const closeOnce = () => {
    open.delete(closeOnce);
    return (closing ??= close());
  };
  open.add(closeOnce);
  return closeOnce;
};

let interrupted = false;
export const isInterrupted = (): boolean => interrupted;

/** Closes everything when the process is told to end; a second time it ends at once. */
export const closeWhenInterrupted = (): void => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => void closeAll().finally(() => process.exit(code)));
};

const closeAll = async (): Promise<void> => {
  interrupted = true;
  // Whatever is being measured loses its servers now.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, () => undefined);
  for (const close of [...open].reverse()) await close().catch((error: unknown) => console.error(error));
};
