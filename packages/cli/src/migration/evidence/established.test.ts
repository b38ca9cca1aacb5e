import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Asked, establishedText } from './established.ts'

const rows: readonly [asked: Asked, says: RegExp][] = [
  [
    { kind: 'samples', count: 1 },
    /in discovery, in 1 sample through one address: servers behind it that were not sampled may differ \(--server asks each/,
  ],
  [{ kind: 'samples', count: 5 }, /in discovery, in 5 samples through one address:/],
  [{ kind: 'servers', count: 1 }, /in discovery, by the one server named$/],
  [{ kind: 'servers', count: 3 }, /in discovery, by each of the 3 servers named$/],
]
for (const [asked, says] of rows) {
  test(`agreement is known by a hash: ${asked.kind}, ${asked.count}`, () => {
    const resource = { group: 'apps', resource: 'deployments' }
    assert.match(establishedText({ resource, how: 'discovery', fenced: false, hash: 'h' }, asked), says)
  })
}
