import { activationsADay } from '../../../src/domain/organizations/activation.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { activationStream } from '../../../src/domain/streams.ts';
import type { HttpApp } from './http-app.ts';

type Which = { readonly organizationId: string; readonly addonId: string; readonly by: string };

/** The events of an add-on that was activated and deactivated as often as a day allows. */
export const wearOut = async ({ store }: Pick<HttpApp, 'store'>, which: Which, at: number): Promise<void> => {
  const events = Array.from({ length: activationsADay }, (_, turn): readonly DomainEvent[] => {
    const data = { ...which, epoch: turn + 1, at };
    return [
      { type: 'AddonActivated', data },
      { type: 'AddonDeactivated', data },
    ];
  });
  const stream = activationStream(which.organizationId, which.addonId);
  const { revision } = await store.read(stream);
  const appended = await store.append(
    stream,
    revision,
    events.flat().map((event) => ({ event })),
  );
  if (!appended.ok) throw new Error('somebody else has activated it');
};
