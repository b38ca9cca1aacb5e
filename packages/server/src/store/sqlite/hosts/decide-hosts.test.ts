import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideAlive, decideHosts, type HostEntry } from './decide-hosts.ts'

const beatMs = 1_000
const entry = (host: string, ageMs: number, beat = 1): HostEntry => ({
  ...{ name: `${host}.x`, host, hostname: `name of ${host}`, beat, ageMs },
})

const cases: ReadonlyArray<
  [what: string, entries: readonly HostEntry[], suspects: readonly string[], forgotten: readonly string[]]
> = [
  ['no other process', [], [], []],
  ['another process, or a container with another name, of the same host', [entry('own', 0)], [], []],
  ['another host, just now', [entry('other', 0)], ['other'], []],
  [
    'another host whose clock does not matter, since the file system dates both',
    [entry('other', -50)],
    ['other'],
    [],
  ],
  ['another host that has been silent for three beats', [entry('other', 3_000)], [], []],
  ['a host of long ago', [entry('other', 4_000_000)], [], ['other']],
  ['an own process of long ago', [entry('own', 4_000_000)], [], ['own']],
]
for (const [what, entries, suspects, forgotten] of cases) {
  test(`sqlite hosts: ${what}`, () => {
    const view = decideHosts('own', entries, beatMs)
    assert.deepEqual(
      [view.suspects.map(({ host }) => host), view.forgotten.map(({ host }) => host)],
      [suspects, forgotten],
    )
  })
}

test('sqlite hosts: a host whose entry changes is alive', () => {
  const first = [entry('a', 0, 7), entry('b', 0, 7)]
  const alive = decideAlive(first, [entry('a', 0, 8), entry('b', 0, 7), entry('new', 0, 1)])
  assert.deepEqual(
    alive.map(({ host }) => host),
    ['a'],
  )
})
