import { commandLinePage } from './command-line.ts';
import { eventsPage } from './events.ts';
import { kafkaPage } from './kafka.ts';
import { metricsPage } from './metrics.ts';
import { pathsPage } from './paths.ts';
import { problemsPage } from './problems.ts';
import { rateLimitsPage } from './rate-limits.ts';
import { settingsPage } from './settings.ts';

/** The pages of docs/reference that are made of the code. */
export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'command-line.md': commandLinePage,
  'events.md': eventsPage,
  'kafka.md': kafkaPage,
  'metrics.md': metricsPage,
  'paths.md': pathsPage,
  'problems.md': problemsPage,
  'rate-limits.md': rateLimitsPage,
  'settings.md': settingsPage,
};
