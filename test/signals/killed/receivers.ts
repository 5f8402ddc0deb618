import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Told } from './told.ts';

/** What the receiver does with a SET that it has read. */
export type Fate = 'take' | 'refuse' | 'hold' | 'die-unanswered' | 'die-in-head' | 'die-in-body';

export type PushReceiver = {
  readonly url: string;
  /** Of the next SETs, one each. */
  readonly fates: Fate[];
  /** Of those after them. */
  usually: Fate;
  /** How many SETs it has read. */
  received: number;
  /** The answers that were not given. */
  readonly held: readonly ServerResponse[];
  readonly close: () => void;
};

const meet: Record<Fate, (answer: ServerResponse, held: ServerResponse[]) => void> = {
  take: (answer) => void answer.writeHead(202).end(),
  refuse: (answer) => void answer.writeHead(400).end(JSON.stringify({ err: 'invalid_key' })),
  hold: (answer, held) => void held.push(answer),
  'die-unanswered': (answer) => void answer.socket?.destroy(),
  'die-in-head': (answer) => void answer.socket?.end('HTTP/1.1 20'),
  'die-in-body': (answer) => void answer.socket?.end('HTTP/1.1 202 Accepted\r\ncontent-length: 9\r\n\r\nhal'),
};

/** The server of an add-on that is pushed to. */
export const startPushReceiver = async (told: Told): Promise<PushReceiver> => {
  const held: ServerResponse[] = [];
  const server = createServer((request, answer) => {
    const read = async () => {
      const set = await text(request);
      told.take(set);
      receiver.received += 1;
      meet[receiver.fates.shift() ?? receiver.usually](answer, held);
    };
    read().catch(() => answer.destroy()); // the sender was killed in the middle
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: PushReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    fates: [],
    usually: 'take',
    received: 0,
    held,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
};

type Polled = {
  readonly told: Told;
  readonly accessToken: string;
  /** The address of one instance or the other. */
  readonly address: (turn: number) => string;
};

/** An add-on that polls one instance after the other, waits or does not, and dies now and then in the middle of an answer. */
export const startPolling = ({ told, accessToken, address }: Polled): { stop(): Promise<void> } => {
  let ack: readonly string[] = [];
  let isOver = false;
  const poll = async (turn: number): Promise<void> => {
    const dying = new AbortController();
    const timer = setTimeout(() => dying.abort(), 2_000); // the instance stands still
    try {
      const answer = await fetch(address(turn), {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ack, returnImmediately: turn % 3 === 0 }),
        signal: dying.signal,
      });
      if (turn % 7 === 0) dying.abort(); // the receiver dies when the answer has begun
      if (!answer.ok) return await pause(50);
      const { sets } = (await answer.json()) as { readonly sets: Readonly<Record<string, string>> };
      Object.values(sets).forEach(told.take);
      ack = Object.keys(sets);
    } catch {
      await pause(50); // the acknowledgements are sent again
    } finally {
      clearTimeout(timer);
    }
  };
  const polling = (async () => {
    for (let turn = 1; !isOver; turn += 1) await poll(turn);
  })();
  return {
    async stop() {
      isOver = true;
      await polling;
    },
  };
};
