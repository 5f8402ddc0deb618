import { describe, inject } from 'vitest';

const given = inject('kafkaBrokers');

/** A `describe` that is skipped where no broker can be had; the run's summary says how to get one. */
export const describeWithBroker = given === null ? describe.skip : describe;

/** Of the run's broker, which all files share: topics and groups get names of their own. */
export const brokers = (): readonly string[] => (given ?? '').split(',');

/** Whether tests can start brokers of their own, to kill, freeze or configure. */
export const startsBrokers = inject('kafkaStartable');

/** A `describe` whose tests all do so. */
export const describeWithOwnBroker = startsBrokers ? describe : describe.skip;
