import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Asked, Receiver, Said } from './messages.ts';

/** Add-ons that poll, in a process of their own: the service's memory and time are not theirs. */
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
let receivers: readonly Receiver[] = [];
/** How many polls of each stream there are. */
let polling = 0;

const say = (said: Said) => process.send?.(said);
/** In milliseconds, of the clock that all processes of a machine share. */
const clock = () => Number(process.hrtime.bigint()) / 1e6;

type Body = { readonly sets?: Readonly<Record<string, string>> };

const poll = ({ url, token }: Receiver, asked: object): Promise<Body> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify(asked);
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'content-length': Buffer.byteLength(body),
      },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const { statusCode = 0 } = answer;
        if (statusCode === 200) resolve(JSON.parse(text) as Body);
        else reject(Object.assign(new Error(`${url} answered ${statusCode}: ${text}`), { code: statusCode }));
      });
    });
    sent.end(body);
  });

/** At most so many at once. */
const each = async <T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  const left = items.entries();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [place, item] of left) results[place] = await work(item);
    }),
  );
  return results;
};

const organizationIn = (set: string): string => {
  const { events } = JSON.parse(Buffer.from(set.split('.')[1] ?? '', 'base64url').toString()) as {
    readonly events: Readonly<Record<string, { readonly organization_id?: string }>>;
  };
  return Object.values(events)[0]?.organization_id ?? '';
};

const pollOn = async (receiver: Receiver): Promise<void> => {
  let ack: readonly string[] = [];
  for (;;) {
    const answer = await poll(receiver, { ack }).catch(lost);
    if (!answer) {
      await delay(1_000);
      continue;
    }
    const { sets = {} } = answer;
    const at = clock();
    ack = Object.keys(sets);
    for (const set of Object.values(sets))
      say({ told: { clientId: receiver.clientId, organizationId: organizationIn(set), at } });
  }
};

/** What a receiver tries again: the system or the service had no room for it now. */
const passing: readonly unknown[] = ['ECONNRESET', 408, 503];
const lost = (error: { readonly code?: unknown }): null => {
  if (!passing.includes(error.code)) throw error;
  return null;
};

const drain = async (receiver: Receiver): Promise<number> => {
  let count = 0;
  for (let ack: readonly string[] = []; ;) {
    const { sets = {} } = await poll(receiver, { ack, returnImmediately: true });
    ack = Object.keys(sets);
    count += ack.length;
    if (ack.length === 0) return count;
  }
};

const act = async (asked: Asked): Promise<void> => {
  switch (asked.do) {
    case 'open':
      receivers = asked.receivers;
      return void say({ done: 'open' });
    case 'poll':
      // Besides those that poll already. So many connections in one moment would not fit into the system's queue.
      for (; polling < asked.each; polling += 1)
        for (const [place, receiver] of receivers.entries()) {
          if (place % 10 === 0) await delay(50);
          void pollOn(receiver).catch(fail);
        }
      return void say({ done: 'poll' });
    case 'drain': {
      const began = clock();
      const counts = await each(receivers, 32, drain);
      const sets = counts.reduce((sum, count) => sum + count, 0);
      return void say({ done: 'drain', sets, perSecond: (sets / (clock() - began)) * 1000 });
    }
  }
};

const fail = (error: unknown) => {
  console.error(error);
  process.exit(1);
};
process.on('message', (asked: Asked) => void act(asked).catch(fail));
process.on('disconnect', () => process.exit(0));
