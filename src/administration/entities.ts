import { grants } from './grants.ts';
import type { Entity } from './task.ts';

/** What operators look after, in the order of the documents and pages. */
export const entities: readonly Entity[] = [grants];
