export { startTestNode, type TestNode } from '../../../packages/eventstore-node/test/support/test-node.ts';
