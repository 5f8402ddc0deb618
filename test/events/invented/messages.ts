import { z } from 'zod';
import { addonId, at } from '../../../src/kafka/contract/messages/fields.ts';
import { messagesOf } from '../../../src/kafka/contract/messages/message-contract.ts';

export const inventedMessages = {
  AddonPainted: messagesOf('addon', 'addons', { addon_id: addonId })(
    'grantbook.addon.painted.v1',
    'The add-on has a colour.',
    { color: z.enum(['red', 'green']), at },
  ),
};
