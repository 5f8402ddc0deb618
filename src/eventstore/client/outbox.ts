import type { Duplex } from 'node:stream';

/** How many writes a grpc-js stream accepts before backpressure. */
const streamRoom = 16;

/**
 * Limits writes to the stream that all appends share to what it accepts without backpressure. Otherwise the client
 * queues them internally, and when the stream breaks, the rejection of that queue is unhandled and ends the process.
 */
export type Outbox = {
  /** Resolves when one write may follow at once. */
  turn(stream: () => Duplex | undefined): Promise<void> | undefined;
};

type Waiting = { readonly stream: () => Duplex | undefined; readonly go: () => void };

export const makeOutbox = (): Outbox => {
  const waiting: Waiting[] = [];
  let handedOut = 0;
  let scheduled = false;

  const schedule = (again: (run: () => void) => unknown): void => {
    if (scheduled) return;
    scheduled = true;
    again(() => {
      scheduled = false;
      handedOut = 0;
      pump();
    });
  };

  const pump = (): void => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (handedOut >= roomIn(next.stream())) break;
      handedOut += 1;
      waiting.shift();
      next.go();
    }
    // Granted writes happen before the next tick of the event loop; a full stream needs a moment.
    if (waiting.length > 0) schedule(handedOut > 0 ? setImmediate : soon);
    else if (handedOut > 0) schedule(setImmediate);
  };

  return {
    turn(stream) {
      if (waiting.length === 0 && handedOut < roomIn(stream())) {
        handedOut += 1;
        schedule(setImmediate);
        return undefined;
      }
      return new Promise((go) => {
        waiting.push({ stream, go });
        schedule(setImmediate);
      });
    },
  };
};

const soon = (run: () => void) => setTimeout(run, 1);

/** One less than the stream accepts: the write that fills it would have to wait. */
const roomIn = (stream: Duplex | undefined): number =>
  (stream ? stream.writableHighWaterMark - stream.writableLength : streamRoom) - 1;
