export { canonicalJson } from './canonical-json.ts';
export { consistencyProof, isConsistent } from './consistency.ts';
export { headFileName, timestampFileOf, depositName } from './deposit-file.ts';
export {
  exportFormat,
  maxLineBytes,
  maxDepth,
  exportLine,
  manifestLine,
  manifest,
  chainStart,
  nextChain,
  withChain,
  withoutChain,
  type Opened,
  type Manifest,
} from './export-format.ts';
export { jwks, BadJws, verifyJws, parsePayload, type JwsType, type Jwks, type Verified } from './jws.ts';
export {
  isDirectory,
  whyUnreadable,
  readSmallFile,
  readJwks,
  timestampBeside,
  readHead,
  type ComparedHead,
} from './kept-files.ts';
export { logHeadFormat, verifyHead, type SignedHead, type VerifiedHead } from './log-head.ts';
export {
  leafHash,
  nodeHash,
  emptySpan,
  addLeaf,
  addNode,
  joined,
  rootOf,
  packSpan,
  nodesBetween,
  unpackSpan,
  type Span,
  type Node,
} from './merkle-tree.ts';
export { BadLine, parseLine, checked, type Parsed } from './parse-line.ts';
export { parsePosition, comparePositions, type Position } from './position.ts';
export { LineTooLong, readLines, type Line } from './read-lines.ts';
export { BadTimestamp, timestampRequest, verifyTimestamp, type Timestamp } from './timestamp.ts';
export {
  BadDeposit,
  verifyDeposits,
  verifyDeposit,
  type DepositFile,
  type DepositTrust,
  type VerifiedDeposit,
} from './verify-deposits.ts';
export { verifyExport, type Verdict } from './verify-export.ts';
export {
  UnreadableFile,
  reportText,
  verifyFile,
  readAuthorities,
  type VerifyOptions,
  type Report,
} from './verify-file.ts';
