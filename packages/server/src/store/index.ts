export * from './errors.ts'
// Whoever else speaks gRPC does so in the same way (decision 0002).
export { GRPC, RpcError } from './etcd/errors.ts'
export { FRAME_HEADER_BYTES, FrameReader, seal as sealFrame } from './etcd/grpc-frame.ts'
export { errorOf as rpcErrorOf } from './etcd/grpc-status.ts'
export { WireReader, WireWriter } from './etcd/wire.ts'
export { compareKeys, prefixEnd, sortsNatively } from './key-order.ts'
export * from './store.ts'
