import { randomUUID } from 'node:crypto';
import { asOf } from './as-of.ts';
import type { ReadFault, SubscriptionFault, WhenDenied } from './faults.ts';
import { encodeCheckpoint, encodeConfirmation, encodeNotFound } from './encode.ts';
import type { Outlet, ReadCall } from './outlet.ts';
import { makeOutlet } from './outlet.ts';
import { readAll } from './read-all.ts';
import type { ReadDependencies } from './read-dependencies.ts';
import type { ReadPlan } from './read-plan.ts';
import { isPlan, planRead } from './read-plan.ts';
import { readStream } from './read-stream.ts';
import { noPosition } from './record.ts';
import { accessDenied, ended, notLeader, notReady } from './status-errors.ts';
import { subscribeToAll } from './subscribe-all.ts';
import { subscribeToStream } from './subscribe-stream.ts';

/** Every read and every subscription is this one call. */
export const makeRead =
  (dependencies: ReadDependencies, onError: (error: unknown) => void) =>
  (call: ReadCall): void => {
    const outlet = makeOutlet(call);
    const plan = planRead(call.request);
    if (!isPlan(plan)) return outlet.fail(plan);
    const subscribes = plan.kind === 'subscribe-all' || plan.kind === 'subscribe-stream';
    const fault = dependencies.take(
      subscribes ? 'subscription' : 'read',
      'stream' in plan ? plan.stream : undefined,
    );
    if (plan.kind === 'subscribe-all') endWhenDenied(dependencies.whenDenied, outlet);
    if (fault && refused(fault, plan, outlet)) return;
    const state = fault?.kind === 'as-of' ? asOf(dependencies, fault.position) : dependencies;
    serve(state, plan, fault ? misbehaving(outlet, fault) : outlet, fault).catch((error: unknown) => {
      onError(error);
      outlet.fail(notReady());
    });
  };

/** As the real server does after a change of rights. */
const endWhenDenied = (whenDenied: WhenDenied, outlet: Outlet): void => {
  const stop = whenDenied((right) => right === 'read-all' && outlet.fail(accessDenied()));
  void outlet.closed.then(stop);
};

type Fault = ReadFault | SubscriptionFault;

const serve = (
  dependencies: ReadDependencies,
  plan: ReadPlan,
  outlet: Outlet,
  fault: Fault | undefined,
): Promise<void> => {
  const confirm = async (): Promise<boolean> => {
    const open = await outlet.send(encodeConfirmation(randomUUID()));
    if (fault?.kind !== 'endless-checkpoint') return open;
    return outlet.send(encodeCheckpoint(noPosition, noPosition));
  };
  switch (plan.kind) {
    case 'read-stream':
      return readStream(dependencies, plan, outlet);
    case 'read-all':
      return readAll(dependencies, plan, outlet);
    case 'subscribe-stream':
      return subscribeToStream(dependencies, plan, outlet, confirm);
    case 'subscribe-all':
      return subscribeToAll(dependencies, plan, outlet, confirm);
  }
};

/** Simulates faults that replace the read; true if the call is done. */
const refused = (fault: Fault, plan: ReadPlan, outlet: Outlet): boolean => {
  switch (fault.kind) {
    case 'lost':
      return true;
    case 'denied':
      outlet.fail(accessDenied());
      return true;
    case 'not-ready':
      outlet.fail(notReady());
      return true;
    case 'not-leader':
      outlet.fail(notLeader(fault.host, fault.port));
      return true;
    case 'stale':
      if (plan.kind !== 'read-stream') return false;
      void outlet.send(encodeNotFound(plan.stream));
      outlet.end();
      return true;
    case 'as-of':
    case 'end':
    case 'stall':
    case 'endless-checkpoint':
      return false;
  }
};

/** An outlet that ends, or falls silent, after a number of events. */
const misbehaving = (outlet: Outlet, fault: Fault): Outlet => {
  if (fault.kind !== 'end' && fault.kind !== 'stall') return outlet;
  let left = fault.afterEvents;
  const strike = (): Promise<boolean> | boolean => {
    if (fault.kind === 'stall') return outlet.closed.then(() => false);
    if (fault.status === 'OK') outlet.end();
    else outlet.fail(ended(fault.status));
    return false;
  };
  return {
    ...outlet,
    send: (message) => {
      const isEvent = message[0] === eventTag;
      if (left === 0 && message[0] !== confirmationTag) return strike();
      if (!isEvent || (left -= 1) > 0) return outlet.send(message);
      const sent = outlet.send(message);
      return fault.kind === 'end' ? Promise.resolve(sent).then(strike) : sent;
    },
  };
};

/** The first byte of a read answer identifies its kind. */
const eventTag = 0x0a;
const confirmationTag = 0x12;
