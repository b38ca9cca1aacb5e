import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '@strata/server/store'
import { createHistory } from '../history.ts'
import { Mirror } from './mirror.ts'
import type { SentCommit, Told } from './sent-commits.ts'
import { trueOutcomes } from './true-outcomes.ts'

const value = Buffer.from('tick')
const change = (revision: number): Change => ({
  kind: 'put',
  key: '/tick',
  value,
  revision,
  createRevision: 2,
})

function stage() {
  const mirror = new Mirror('shared')
  const history = createHistory({ leaseDurationMs: 1, renewIntervalMs: 1 }, 1)
  mirror.attach({ history, nowMs: () => 0, opened: (each) => each })
  const send = (writer: string): SentCommit => {
    const commit = { writes: [{ kind: 'put' as const, key: '/tick', value }], guards: [] }
    const sent: SentCommit = { writer, commit, sentMs: 0, found: [], broken: [] }
    mirror.sent.push(sent)
    return sent
  }
  const tell = (sent: SentCommit, how: Told, ...revisions: number[]): void => {
    sent.told = { how, text: '', revisions }
    if (how === 'committed') mirror.confirm(sent)
  }
  const writers = (): string[] => history.commits.map(({ writer }) => writer)
  return { mirror, history, send, tell, writers }
}

test('mirror: revisions are those of the store, and a gap is noticed', () => {
  const { mirror, send } = stage()
  send('a')
  mirror.take([change(2)])
  assert.equal(mirror.revision, 2)
  // What it has taken in already is passed over.
  mirror.take([change(2)])
  assert.equal(mirror.revision, 2)
  assert.throws(() => mirror.take([change(4)]), /from 2 to 4/)
})

test('mirror: a change that nobody sent is a bug', () => {
  const { mirror, history } = stage()
  mirror.take([change(2)])
  assert.match(history.bugs[0]?.text ?? '', /nobody has sent/)
})

test('mirror: one of unknown outcome that was written is told from its equal by the answer of that', () => {
  const { mirror, send, tell, writers } = stage()
  tell(send('a'), 'unknown')
  const second = send('b')
  mirror.take([change(2)])
  mirror.take([change(3)])
  tell(second, 'committed', 3)
  assert.deepEqual(writers(), ['a', 'b'])
  assert.deepEqual([...trueOutcomes(mirror.sent)], [])
})

test('mirror: one of unknown outcome that was not written leaves its place to its equal', () => {
  const { mirror, send, tell, writers } = stage()
  tell(send('a'), 'unknown')
  mirror.take([change(2)])
  tell(send('b'), 'committed', 2)
  assert.deepEqual(writers(), ['b'])
  assert.deepEqual([...trueOutcomes(mirror.sent)], [])
})

test('mirror: a commit that came twice is noticed', () => {
  const { mirror, send, tell } = stage()
  const only = send('a')
  mirror.take([change(2)])
  tell(only, 'committed', 2)
  mirror.take([change(3)])
  assert.equal([...trueOutcomes(mirror.sent)].length, 1)
})

test('mirror: whoever waits for a revision is told when it is there, or that it never will be', async () => {
  const { mirror, send } = stage()
  send('a')
  const reached = mirror.reach(2)
  mirror.take([change(2)])
  await reached
  const never = mirror.reach(3)
  mirror.fail(new Error('etcd is gone'))
  await assert.rejects(never, /etcd is gone/)
})
