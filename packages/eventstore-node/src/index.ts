export type { NodeAccess } from './access.ts';
export type { Faults } from './faults.ts';
export { type EmbeddedNode, type NodeOptions, startNode } from './start-node.ts';
export { AnotherNode } from './writer-connection.ts';
