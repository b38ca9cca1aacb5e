import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type StorageCensus } from '@strata/api'
import type { Client } from '@strata/client'
import { sleep } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { CensusTaker } from './census-taker.ts'

function taker(answer: (count: number) => number | ApiError = () => 5, isOffered = true, tookMs = 0) {
  const simulation = new Simulation('census')
  const { clock } = simulation.process('page')
  const asked: string[] = []
  const stop = new AbortController()
  const create = async ({ spec }: StorageCensus, signal: AbortSignal) => {
    asked.push(`${spec.resource} ${spec.maxObjects}`)
    const total = answer(asked.length)
    if (tookMs > 0) await sleep(clock, tookMs, signal)
    if (total instanceof ApiError) throw total
    const encodings = [{ encodingVersion: 'example.dev/v1', count: total }]
    return {
      metadata: {},
      spec,
      status: { resourceVersion: '1', total, encodings, unreadable: 0, proven: true },
    }
  }
  const client = { resource: () => ({ create }) } as unknown as Client
  const census = new CensusTaker({ client, clock, signal: stop.signal, isOffered: () => isOffered })
  return { census, asked, signOut: () => stop.abort(), run: (untilMs: number) => simulation.run({ untilMs }) }
}

test('census: a resource in sight is counted once, and again when something has changed', async () => {
  const { census, asked, run } = taker()
  const leave = census.want('example.dev.things', 'things.example.dev', 'one')
  await run(60_000)
  assert.deepEqual(asked, ['things 0'])
  assert.equal(census.of('things.example.dev').value.status?.total, 5)
  leave()
  census.want('example.dev.things', 'things.example.dev', 'two')
  await run(120_000)
  assert.equal(asked.length, 2)
  assert.equal(census.of('things.example.dev').value.samples.length, 2)
})

test('census: what comes back into sight soon is not counted again, and nothing out of sight is', async () => {
  const { census, asked, run } = taker()
  const want = (mark: string) => census.want('example.dev.things', 'things.example.dev', mark)
  const leave = want('one')
  await run(2_000)
  leave()
  const again = want('one')
  await run(5_000)
  assert.equal(asked.length, 1)
  again()
  // It changes at once after a count: the next one has to wait, and by then the line is out of sight.
  await run(30_000)
  want('two')()
  want('three')()
  await run(60_000)
  assert.equal(asked.length, 2)
})

test('census: a line counts on when the drawer over it is closed', async () => {
  const { census, asked, run } = taker()
  const want = () => census.want('example.dev.things', 'things.example.dev', 'one')
  want()
  const drawer = census.want('example.dev.things', 'things.example.dev', 'one', 100)
  drawer()
  await run(60_000)
  assert.deepEqual(asked, ['things 0', 'things 100'])
})

test('census: however often it changes, counts keep a distance; the last change is counted', async () => {
  const { census, asked, run } = taker()
  for (let change = 0; change <= 20; change++) {
    census.want('example.dev.things', 'things.example.dev', `change ${change}`)
    await run((change + 1) * 100)
  }
  assert.ok(asked.length <= 3, `${asked.length} counts in two seconds`)
  const before = asked.length
  await run(60_000)
  assert.ok(asked.length - before <= 1)
})

test('census: what changes while a long count is under way waits as long as after any long count', async () => {
  const { census, asked, run } = taker(undefined, true, 2_000)
  for (let change = 0; change < 80; change++) {
    census.want('example.dev.things', 'things.example.dev', `change ${change}`)()
    census.want('example.dev.things', 'things.example.dev', `change ${change}`)
    await run((change + 1) * 100)
  }
  assert.equal(asked.length, 1)
  await run(30_000)
  assert.equal(asked.length, 2)
})

test('census: a count that fails says nothing of the one before it', async () => {
  const { census, run } = taker((count) =>
    count === 1 ? 5 : new ApiError(503, 'ServiceUnavailable', 'wait'),
  )
  census.want('example.dev.things', 'things.example.dev', 'one')
  await run(2_000)
  census.want('example.dev.things', 'things.example.dev', 'two')
  await run(10_000)
  const { status, problem, samples } = census.of('things.example.dev').value
  assert.deepEqual([status, problem, samples.length], [undefined, 'wait', 1])
})

test('census: nothing is counted after the session', async () => {
  const { census, asked, signOut, run } = taker(undefined, true, 2_000)
  for (const each of ['a', 'b']) census.want(`example.dev.${each}`, `${each}.example.dev`, 'one')
  await run(1_000)
  signOut()
  await run(60_000)
  assert.deepEqual(asked, ['a 0'])
  assert.equal(census.of('a.example.dev').value.status, undefined)
})

test('census: to name objects, a resource is counted again', async () => {
  const { census, asked, run } = taker()
  census.want('example.dev.things', 'things.example.dev', 'one')
  census.want('example.dev.things', 'things.example.dev', 'one', 100)
  await run(60_000)
  assert.equal(asked.at(-1), 'things 100')
})

test('census: without the right nothing more is asked, and the right is named', async () => {
  const refused = new ApiError(403, 'Forbidden', 'no', { group: 'strata.dev', kind: 'storagecensuses' })
  const { census, asked, run } = taker(() => refused)
  for (const each of ['a', 'b', 'c']) census.want(`example.dev.${each}`, `${each}.example.dev`, 'one')
  await run(60_000)
  assert.deepEqual(asked, ['a 0'])
  assert.match(census.of('a.example.dev').value.problem ?? '', /storagecensuses\.strata\.dev/)
})

test('census: a resource that the user may not list does not keep others from being counted', async () => {
  const refused = new ApiError(403, 'Forbidden', 'no', { group: 'example.dev', kind: 'a' })
  const { census, asked, run } = taker((count) => (count === 1 ? refused : 5))
  for (const each of ['a', 'b']) census.want(`example.dev.${each}`, `${each}.example.dev`, 'one')
  await run(60_000)
  assert.deepEqual(asked, ['a 0', 'b 0'])
  assert.match(census.of('a.example.dev').value.problem ?? '', /strata rbac dashboard a\.example\.dev/)
  assert.equal(census.of('b.example.dev').value.status?.total, 5)
})

test('census: a cluster that offers none is not asked', async () => {
  const { census, asked, run } = taker(undefined, false)
  census.want('example.dev.things', 'things.example.dev', 'one')
  await run(60_000)
  assert.deepEqual(asked, [])
})

test('census: a server that is just being started is asked again', async () => {
  const { census, asked, run } = taker((count) =>
    count === 1 ? new ApiError(503, 'ServiceUnavailable', 'wait') : 7,
  )
  census.want('example.dev.things', 'things.example.dev', 'one')
  await run(60_000)
  assert.equal(asked.length, 2)
  assert.equal(census.of('things.example.dev').value.status?.total, 7)
})
