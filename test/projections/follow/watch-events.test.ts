import { expect, onTestFinished, test } from 'vitest';
import { addonChanges } from '../../../src/commands/addons/find-addon.ts';
import { watchEvents } from '../../../src/projections/follow/watch-events.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { scriptedLog } from '../../support/log/test-projector.ts';
import { addon, plain, profile, tell } from './a-story.ts';

test('an instance hears what others append from now on, of the types that it asks for, and goes on after a break', async () => {
  const log = scriptedLog();
  tell(log, addon('A1'));
  const heard: string[] = [];
  const watch = watchEvents({
    log: { ...log, head: () => Promise.resolve(log.events.at(-1)?.position ?? null) },
    eventTypes: addonChanges,
    began: () => heard.push('began'),
    heard: ({ stream }) => heard.push(stream),
    logger: quietLogger(),
  });
  onTestFinished(() => watch.stop());
  await expect.poll(() => log.subscriptions()).toBe(1);
  tell(log, profile('P1'), plain('addon-A1', 'AddonSuspended'));
  await expect.poll(() => heard).toEqual(['began', 'addon-A1']);
  log.drop();
  tell(log, plain('addon-A2', 'AddonResumed'));
  await expect.poll(() => heard).toEqual(['began', 'addon-A1', 'addon-A2']);
});
