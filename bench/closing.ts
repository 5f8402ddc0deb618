/** Processes that an interrupted bench would leave running; the newest is closed first. */
const open = new Set<() => Promise<void>>();

/** @returns a function that closes it once, whether its user or an interruption calls it first */
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

/** Closes everything when the process is asked to end; a second signal ends it at once. */
export const closeWhenInterrupted = (): void => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => void interrupt().finally(() => process.exit(code)));
};

/** Closes everything that is still open, the newest first. */
export const closeAll = async (): Promise<void> => {
  for (const close of [...open].reverse()) await close().catch((error: unknown) => console.error(error));
};

const interrupt = async (): Promise<void> => {
  interrupted = true;
  // Running measurements fail once their servers close: these errors must not end the process.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, () => undefined);
  await closeAll();
};
