import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadPath } from '@strata/cli/rehearse'
import { playPath } from '@strata/rehearsal'
import { isFullSize } from '../support/full-size.ts'

const folder = join(import.meta.dirname, '../../examples/rehearsals')
const examples = readdirSync(folder).filter((name) => name.endsWith('.yaml'))

/** The rule that leads to each verdict which is not safe, in order. The verdicts stand in the files. */
const rules: Readonly<Record<string, readonly string[]>> = {
  'cilium-47774': ['crd-refused'],
  'crossplane-6148': ['crd-refused'],
  'flux2-5598': ['crd-refused'],
  'karpenter-7734': ['not-pruned', 'crd-refused'],
  'late-server': ['disagreed'],
  'late-server-unfenced': ['unreadable'],
  'longhorn-11886': ['crd-refused', 'crd-refused'],
  'lost-field': ['field-lost'],
  'neco-880': ['disagreed'],
  'paused-server-unfenced': ['unreadable'],
  'rollback-too-far': ['not-ready'],
  'skipped-release': ['unreadable'],
  'tekton-1753': ['migration-incomplete', 'not-pruned'],
  webhook: ['no-converter'],
}

/** How long each path took once, without the search. */
const tookMs: number[] = []

for (const name of examples) {
  test(`rehearsal ${name}: each step has the verdict that its file names`, async () => {
    const { path } = await loadPath(join(folder, name))
    // Each interleaving takes as long as the path. Only one example needs the search for its verdict.
    const isSearched = isFullSize || name === 'paused-server-unfenced.yaml'
    const beganMs = performance.now()
    const result = await playPath({ ...path, interleavings: isSearched ? path.interleavings : 0 })
    if (!isSearched) tookMs.push(performance.now() - beganMs)
    const found = result.steps.flatMap(({ verdict, reasons }) =>
      verdict === 'safe' ? [] : (reasons.find(({ level }) => level === verdict)?.rule ?? 'none'),
    )
    assert.ok(result.passed, JSON.stringify(result.steps, undefined, 1))
    assert.deepEqual(found, rules[name.replace('.yaml', '')] ?? [])
  })
}

test('rehearsal: most examples were played once, in the time that docs/rehearse.md names', (t) => {
  const sorted = tookMs.toSorted((a, b) => a - b)
  assert.equal(sorted.length, isFullSize ? 0 : examples.length - 1)
  t.diagnostic(`median ${sorted[sorted.length >> 1]?.toFixed(0)} ms, longest ${sorted.at(-1)?.toFixed(0)} ms`)
})

test('rehearsal: without the fence a server that was paused stores an old version, and the story says how', async () => {
  const { path } = await loadPath(join(folder, 'paused-server-unfenced.yaml'))
  const { interleavings } = await playPath(path)
  const story = interleavings.found?.story.join('\n') ?? ''
  const inOrder = [
    /^1\. Next step: release v1\.0\./,
    /\d+\. A client creates (widget-\d-paused) through server \d, which encodes it in v1beta1, and stops before/,
    /\d+\. Next step: prune all\./,
    /\d+\. Server \d goes on\./,
    /\d+\. The write of widget-\d-paused arrives, and is stored in scenes\.example\.dev\/v1beta1\./,
    /\d+\. Server \d cannot read widgets\.scenes\.example\.dev in v1: 1 of 4 objects/,
  ]
  const places = inOrder.map((line) => story.search(line))
  assert.ok(!places.includes(-1), story)
  assert.deepEqual(
    places.toSorted((a, b) => a - b),
    places,
    story,
  )
})

test('rehearsal: with the fence every such write is refused, and the path stays safe', async () => {
  const { path } = await loadPath(join(folder, 'paused-server.yaml'))
  const { verdict, interleavings } = await playPath({ ...path, interleavings: 6 })
  assert.equal(verdict, 'safe')
  assert.deepEqual(interleavings.lateWrites, { stored: 0, refused: 6 })
})

for (const [name, interleavings] of [
  ['crashes', 0],
  ['paused-server-unfenced', 1],
] as const) {
  test(`rehearsal: the same seed gives the same result, ${name}`, async () => {
    const { path } = await loadPath(join(folder, `${name}.yaml`))
    const play = () => playPath({ ...path, interleavings }, { seed: 'twice' })
    assert.deepEqual(await play(), await play())
  })
}
