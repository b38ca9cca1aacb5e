import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeadlineExceeded } from '@strata/world'
import { GRPC, RpcError } from '../../store/index.ts'
import { CannotOpen } from '../sealing-key.ts'
import { judgeRefusal, type Refusal } from './judge-refusal.ts'

const said = (code: number): RpcError => new RpcError(code, 'no', true)
const plugin: Refusal = { isAboutSeed: false, isPassing: true }
const seed: Refusal = { isAboutSeed: true, isPassing: true }
const seedForLong: Refusal = { isAboutSeed: true, isPassing: false }

const cases: ReadonlyArray<[name: string, error: unknown, want: Refusal]> = [
  ['no listener', Object.assign(new Error('connect ENOENT'), { code: 'ENOENT' }), plugin],
  ['no answer in time', new DeadlineExceeded('not finished within 3000 ms'), plugin],
  ['the plugin cannot reach what holds its keys', said(GRPC.unavailable), plugin],
  ['the plugin has waited too long itself', said(GRPC.deadlineExceeded), plugin],
  ['the plugin is asked too often', said(GRPC.resourceExhausted), plugin],
  ['an error that says nothing', said(GRPC.unknown), seed],
  ['a mistake of the plugin', said(13), seed],
  ['it may not use the key, for now', said(GRPC.permissionDenied), seed],
  ['there is no such key', said(GRPC.notFound), seedForLong],
  ['the key is disabled or destroyed', said(GRPC.failedPrecondition), seedForLong],
  ['it has never sealed that', said(GRPC.invalidArgument), seedForLong],
  ['what it gave back is no seed', new CannotOpen('3 bytes'), seedForLong],
]
for (const [name, error, want] of cases) {
  test(`KMS refusal: ${name}`, () => assert.deepEqual(judgeRefusal(error), want))
}
