import { shuttingDown } from './status-errors.ts';

type Call = {
  on(event: 'close' | 'cancelled', listener: () => void): unknown;
  emit(event: 'error', error: unknown): boolean;
  readonly writableEnded?: boolean;
};

/** Tracks long-lived calls, so that a shutdown can end them with UNAVAILABLE: with OK, a client would hang. */
export const makeOpenCalls = () => {
  const open = new Set<Call>();
  return {
    tracked:
      <Tracked extends Call>(handle: (call: Tracked) => void) =>
      (call: Tracked): void => {
        open.add(call);
        const forget = (): void => void open.delete(call);
        call.on('close', forget);
        call.on('cancelled', forget);
        handle(call);
      },
    endAll: (): void => {
      for (const call of open) if (!call.writableEnded) call.emit('error', shuttingDown());
      open.clear();
    },
  };
};
