import type { ServerWritableStream } from '@grpc/grpc-js';
import type { StatusError } from './status-errors.ts';
import type { ReadReq } from './stubs.ts';

/** A Read call; its answers are already encoded, see `encode.ts`. */
export type ReadCall = ServerWritableStream<ReadReq, Buffer>;

/** Where a read writes its answers, with backpressure from the client. */
export type Outlet = {
  /** Resolves when there is room for more; false when the call is over. */
  send(message: Buffer): Promise<boolean> | boolean;
  readonly open: () => boolean;
  /** Resolves when the call is over, for any reason. */
  readonly closed: Promise<void>;
  end(): void;
  fail(error: StatusError): void;
};

export const makeOutlet = (call: ReadCall): Outlet => {
  let open = true;
  let close: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (close = resolve));
  let drained: ((open: boolean) => void) | undefined;
  const over = (): void => {
    open = false;
    close();
    drained?.(false);
  };
  call.on('cancelled', over);
  call.on('close', over);
  call.on('drain', () => drained?.(open));
  const room = (): Promise<boolean> =>
    new Promise((resolve) => {
      drained = (still) => {
        drained = undefined;
        resolve(still);
      };
    });
  return {
    send: (message) => {
      if (!open) return false;
      return call.write(message) ? true : room();
    },
    open: () => open,
    closed,
    end: () => {
      if (open) call.end();
      over();
    },
    fail: (error) => {
      if (open) call.emit('error', error);
      over();
    },
  };
};
