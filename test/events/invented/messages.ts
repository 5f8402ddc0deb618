import { z } from 'zod';
import { addonId, at } from '../../../src/kafka/contract/messages/fields.ts';
import { message } from '../../../src/kafka/contract/messages/message-contract.ts';

export const inventedMessages = {
  AddonPainted: message({
    type: 'grantbook.addon.painted.v1',
    identity: 'addon',
    topic: 'addons',
    summary: 'The add-on has a colour.',
    data: z.strictObject({ addon_id: addonId, color: z.enum(['red', 'green']), at }),
  }),
};
