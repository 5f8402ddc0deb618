import { eventsPage } from './events.ts';

/** The pages of docs/reference that are made of the code. */
export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'events.md': eventsPage,
};
