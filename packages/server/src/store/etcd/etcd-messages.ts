import type { Buffer } from 'node:buffer'
import type { Entry, Key, Revision } from '../store.ts'
import { FRAME_HEADER_BYTES } from './grpc-frame.ts'
import { MalformedMessage, WireReader, WireWriter } from './wire.ts'

/**
 * The few messages of etcd's v3 API that the store needs. The numbers are the field numbers of etcd's
 * `rpc.proto` and `kv.proto`, stable since 3.0. Requests are encoded with room in front for gRPC's frame header.
 */

/** The smallest key there can be; etcd knows no empty one. */
export const FIRST_KEY: Key = '\0'
/** As the end of a range: everything from the start on. */
export const NO_END: Key = '\0'

export interface RangeRequest {
  readonly key: Key
  /** The first key after the range; without it, the range is one key. */
  readonly rangeEnd?: Key
  readonly limit?: number
  readonly revision?: Revision | undefined
  readonly countOnly?: boolean
  /** The member answers from its own state, which may be stale. */
  readonly serializable?: boolean
}

export interface RangeResponse {
  readonly revision: Revision
  readonly entries: readonly Entry[]
  /** How often each entry was written since it was created: the compaction protocol's logical clock. */
  readonly versions: readonly number[]
  /** The number of keys in the whole range, regardless of the limit. */
  readonly count: number
}

export type Compare =
  | {
      readonly key: Key
      readonly target: 'createRevision' | 'modRevision' | 'version'
      readonly equals: number
    }
  | { readonly key: Key; readonly target: 'value'; readonly equals: Uint8Array }

export type RequestOp =
  | { readonly kind: 'range'; readonly range: RangeRequest }
  | { readonly kind: 'put'; readonly key: Key; readonly value: Uint8Array }
  | { readonly kind: 'delete'; readonly key: Key }

export interface TxnRequest {
  readonly compares: readonly Compare[]
  readonly success: readonly RequestOp[]
  readonly failure: readonly RequestOp[]
}

export interface TxnResponse {
  readonly revision: Revision
  readonly succeeded: boolean
  /** The answers to ranges, in order; those to puts and deletes are not needed. */
  readonly ranges: readonly RangeResponse[]
}

export interface WatchCreate {
  readonly key: Key
  readonly rangeEnd?: Key
  readonly startRevision: Revision
}

export interface WatchEvent {
  readonly kind: 'put' | 'delete'
  readonly entry: Entry
}

export interface WatchResponse {
  readonly revision: Revision
  readonly created: boolean
  readonly canceled: boolean
  readonly cancelReason: string
  /** Not 0 when the watch was canceled because its start is compacted. */
  readonly compactRevision: Revision
  /** More events of the same change follow in the next response. */
  readonly fragment: boolean
  readonly events: readonly WatchEvent[]
}

const COMPARE_TARGET = { version: 0, createRevision: 1, modRevision: 2, value: 3 } as const
const COMPARE_VALUE_FIELD = { version: 4, createRevision: 5, modRevision: 6, value: 7 } as const

export function encodeRange(range: RangeRequest): Buffer {
  const writer = new WireWriter(256, FRAME_HEADER_BYTES)
  writeRange(writer, range)
  return writer.finish()
}

export function encodeTxn(txn: TxnRequest): Buffer {
  let valueBytes = 0
  for (const op of txn.success) if (op.kind === 'put') valueBytes += op.value.length
  const operations = txn.compares.length + txn.success.length + txn.failure.length
  const writer = new WireWriter(valueBytes + operations * 160, FRAME_HEADER_BYTES)
  for (const compare of txn.compares) {
    writer.message(1, () => {
      // Field 1, the relation, stays at its default: equal.
      writer.integer(2, COMPARE_TARGET[compare.target])
      writer.string(3, compare.key)
      if (compare.target === 'value') writer.bytes(COMPARE_VALUE_FIELD.value, compare.equals)
      else writer.integer(COMPARE_VALUE_FIELD[compare.target], compare.equals)
    })
  }
  for (const op of txn.success) writer.message(2, () => writeOp(writer, op))
  for (const op of txn.failure) writer.message(3, () => writeOp(writer, op))
  return writer.finish()
}

export function encodeCompaction(revision: Revision): Buffer {
  const writer = new WireWriter(16, FRAME_HEADER_BYTES)
  writer.integer(1, revision)
  return writer.finish()
}

export function encodeWatchCreate(create: WatchCreate): Buffer {
  const writer = new WireWriter(256, FRAME_HEADER_BYTES)
  writer.message(1, () => {
    writer.string(1, create.key)
    if (create.rangeEnd !== undefined) writer.string(2, create.rangeEnd)
    writer.integer(3, create.startRevision)
    // `fragment`: see watch-collector.ts.
    writer.boolean(8, true)
  })
  return writer.finish()
}

function writeRange(writer: WireWriter, range: RangeRequest): void {
  writer.string(1, range.key)
  if (range.rangeEnd !== undefined) writer.string(2, range.rangeEnd)
  if (range.limit) writer.integer(3, range.limit)
  if (range.revision) writer.integer(4, range.revision)
  writer.boolean(7, range.serializable ?? false)
  writer.boolean(9, range.countOnly ?? false)
}

function writeOp(writer: WireWriter, op: RequestOp): void {
  switch (op.kind) {
    case 'range':
      writer.message(1, () => writeRange(writer, op.range))
      return
    case 'put':
      writer.message(2, () => {
        writer.string(1, op.key)
        writer.bytes(2, op.value)
      })
      return
    case 'delete':
      writer.message(3, () => writer.string(1, op.key))
  }
}

export function decodeRange(message: Buffer): RangeResponse {
  return readRange(new WireReader(message))
}

export function decodeTxn(message: Buffer): TxnResponse {
  const reader = new WireReader(message)
  let revision = 0
  let succeeded = false
  const ranges: RangeResponse[] = []
  while (reader.next()) {
    if (reader.field === 1) revision = readHeader(reader.message())
    else if (reader.field === 2) succeeded = reader.boolean()
    else if (reader.field === 3) {
      const response = reader.message()
      while (response.next()) {
        if (response.field === 1) ranges.push(readRange(response.message()))
        else response.skip()
      }
    } else reader.skip()
  }
  return { revision, succeeded, ranges }
}

export function decodeWatch(message: Buffer): WatchResponse {
  const reader = new WireReader(message)
  let revision = 0
  let created = false
  let canceled = false
  let cancelReason = ''
  let compactRevision = 0
  let fragment = false
  const events: WatchEvent[] = []
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        revision = readHeader(reader.message())
        break
      case 3:
        created = reader.boolean()
        break
      case 4:
        canceled = reader.boolean()
        break
      case 5:
        compactRevision = reader.integer()
        break
      case 6:
        cancelReason = reader.string()
        break
      case 7:
        fragment = reader.boolean()
        break
      case 11:
        events.push(readEvent(reader.message()))
        break
      default:
        reader.skip()
    }
  }
  return { revision, created, canceled, cancelReason, compactRevision, fragment, events }
}

/** The id of the cluster that answered. The 53 bits of its 64 that a number holds are enough to distinguish clusters. */
export function decodeClusterId(range: Buffer): number {
  const reader = new WireReader(range)
  while (reader.next()) {
    if (reader.field !== 1) {
      reader.skip()
      continue
    }
    const header = reader.message()
    while (header.next()) {
      if (header.field === 1) return header.integer()
      header.skip()
    }
  }
  throw new MalformedMessage('an answer of etcd does not say which cluster it is of')
}

function readHeader(reader: WireReader): Revision {
  let revision = 0
  while (reader.next()) {
    if (reader.field === 3) revision = reader.integer()
    else reader.skip()
  }
  return revision
}

function readRange(reader: WireReader): RangeResponse {
  let revision = 0
  let count = 0
  const entries: Entry[] = []
  const versions: number[] = []
  while (reader.next()) {
    if (reader.field === 1) revision = readHeader(reader.message())
    else if (reader.field === 2) entries.push(readEntry(reader.message(), versions))
    else if (reader.field === 4) count = reader.integer()
    else reader.skip()
  }
  return { revision, entries, versions, count }
}

const NO_BYTES: Uint8Array = new Uint8Array(0)

function readEntry(reader: WireReader, versions?: number[]): Entry {
  let key = ''
  let createRevision = 0
  let revision = 0
  let version = 0
  let value = NO_BYTES
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        key = reader.string()
        break
      case 2:
        createRevision = reader.integer()
        break
      case 3:
        revision = reader.integer()
        break
      case 4:
        version = reader.integer()
        break
      case 5:
        value = reader.bytes()
        break
      default:
        reader.skip()
    }
  }
  versions?.push(version)
  return { key, value, revision, createRevision }
}

function readEvent(reader: WireReader): WatchEvent {
  let kind: 'put' | 'delete' = 'put'
  let entry: Entry | undefined
  while (reader.next()) {
    if (reader.field === 1) kind = reader.integer() === 1 ? 'delete' : 'put'
    else if (reader.field === 2) entry = readEntry(reader.message())
    else reader.skip()
  }
  if (!entry) throw new MalformedMessage('a watch event of etcd has no entry')
  return { kind, entry }
}
