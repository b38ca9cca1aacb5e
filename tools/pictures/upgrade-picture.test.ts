import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../repository.ts'
import { stepsOf, visibleWhile } from './keyframes.ts'
import type { Recording } from './recording.ts'
import { renderUpgrade } from './render-upgrade.ts'

const read = (name: string): string => readFileSync(join(root, 'docs/pictures', name), 'utf8')
const recording = JSON.parse(read('upgrade.json')) as Recording

test('the picture of an upgrade is that of the recording (node tools/pictures/upgrade.ts draws it anew)', () => {
  assert.equal(renderUpgrade(recording), read('upgrade.svg'))
})

test('the recording shows what README.md says: v1, then both, then v2 alone, and no write lost', () => {
  const { frames } = recording
  assert.deepEqual([...new Set(frames.map(({ agreed }) => agreed))], ['v1', null, 'v2'])
  assert.ok(frames.some(({ stored }) => (stored['v1'] ?? 0) > 0 && (stored['v2'] ?? 0) > 0))
  const last = frames.at(-1)
  assert.deepEqual(Object.keys(last?.stored ?? {}), ['v2'])
  assert.equal(last?.refused, 0)
})

test('a picture asks for nothing from elsewhere', () => {
  assert.doesNotMatch(
    read('upgrade.svg').replace('http://www.w3.org/2000/svg', ''),
    /https?:|<script|@import|url\((?!#)/,
  )
})

test('the versions have the colours of the dashboard: the old one warm, the new one cool', () => {
  const palette = readFileSync(join(root, 'packages/dashboard/src/theme/palette.css'), 'utf8')
  const colourOf = (name: string) => new RegExp(`--layer-${name}: (#\\w+);`).exec(palette)?.[1]
  const inPicture = (version: string) =>
    new RegExp(`\\.${version}\\{fill:(#\\w+)\\}`).exec(read('upgrade.svg'))?.[1]
  assert.deepEqual(['v1', 'v2'].map(inPicture), ['orange', 'blue'].map(colourOf))
})

test('an element is visible exactly in its time', () => {
  const steps = [
    { percent: 0, value: 'a' },
    { percent: 10, value: 'a' },
    { percent: 25, value: 'b' },
    { percent: 50.00049, value: 'a' },
  ]
  assert.deepEqual(
    stepsOf(steps).map(({ percent }) => percent),
    [0, 25, 50.00049],
  )
  assert.equal(
    visibleWhile('n', steps, 'b'),
    '@keyframes n{0%{opacity:0}25%{opacity:1}50%{opacity:0}100%{opacity:0}}',
  )
})
