import type { EndStatus, TakeFault } from './faults.ts';
import type { Outcome, Request } from './group.ts';
import type { Writer } from './writer.ts';
import { OutcomeUnknown } from './writer.ts';

/** The outcome of an append, before it is encoded as an answer of Append or BatchAppend. */
export type Reply =
  | Outcome
  | { readonly kind: 'silence' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'not-ready' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'not-leader'; readonly host: string; readonly port: number }
  | { readonly kind: 'end'; readonly status: EndStatus };

export type Perform = (request: Request) => Promise<Reply>;

/** Submits to the writer and simulates an injected fault, if any. Never rejects. */
export const makePerform =
  (writer: Pick<Writer, 'submit'>, take: TakeFault): Perform =>
  async (request) => {
    const fault = take('append', request.stream);
    switch (fault?.kind) {
      case undefined:
        return submit(writer, request);
      case 'lost':
        return { kind: 'silence' };
      case 'commit-then-drop':
        await submit(writer, request);
        return { kind: 'silence' };
      case 'delayed-reply': {
        const reply = await submit(writer, request);
        await fault.until;
        return reply;
      }
      case 'end':
        if (fault.written) await submit(writer, request);
        return fault;
      case 'denied':
      case 'not-ready':
      case 'timeout':
      case 'not-leader':
        return fault;
    }
  };

export const submit = async (writer: Pick<Writer, 'submit'>, request: Request): Promise<Reply> => {
  try {
    return await writer.submit(request);
  } catch (error) {
    return { kind: error instanceof OutcomeUnknown ? 'timeout' : 'not-ready' };
  }
};
