import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullSize } from '../support/full-size.ts'
import { chainForms, everyChain, scenes } from './cuts/chain.ts'
import { describeChainFailure, runChains } from './cuts/run-chains.ts'
import { moments } from './cuts/tripwire.ts'

const size = isFullSize ? 'every place' : 'some places'

test(`simulation: kill -9 at ${size} of bootstrap and shutdown, and the record never lies`, async (t) => {
  const { cuts, cutsBySituation, failed } = await runChains(size)
  const [first] = failed
  if (first) assert.fail(describeChainFailure(first))
  t.diagnostic(`${cuts} cuts: ${[...cutsBySituation].map((each) => each.join(' ')).join(', ')}`)
  // A walk that never meets its wire cuts nothing, and breaks nothing.
  assert.equal(cutsBySituation.size, Object.keys(scenes).length * Object.keys(moments).length)
  for (const [situation, count] of cutsBySituation) assert.ok(count >= 10, `${situation}: ${count} cuts`)
  assert.ok(cuts > (isFullSize ? 8_000 : 180), `${cuts} cuts`)
})

test('simulation: what is cut at every place leaves out none', () => {
  assert.deepEqual([...new Set(everyChain().map(({ form }) => form))], Object.keys(chainForms))
  for (const [walk, chains] of Map.groupBy(everyChain(), ({ form, scene, moment, aftermath }) =>
    [form, scene, moment, aftermath].join(),
  )) {
    const firsts = chains.map(({ first }) => first)
    assert.deepEqual(
      firsts,
      firsts.map((_, index) => index + 1),
      walk,
    )
    assert.ok(chains.every(({ stride }) => stride === firsts.length))
  }
})
